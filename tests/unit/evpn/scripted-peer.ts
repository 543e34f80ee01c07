import { type Duplex, duplexPair } from "node:stream";
import type { Clock } from "../../../agent-image/agent/bgp/session/clock.js";
import type { SessionTarget } from "../../../agent-image/agent/bgp/session/session-target.js";
import { message } from "../bgp/bytes.js";
import { frrOpenFrom } from "../bgp/frr-open.js";

/** Time that stands still until a test moves it. */
export class TestClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly action: () => void }>();

  now(): number {
    return this.#now;
  }

  /** Far from the monotonic time, as it is outside of tests. */
  wallTime(): Date {
    return new Date(Date.UTC(2026, 0, 1) + this.#now);
  }

  schedule(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.#now + milliseconds, action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs what is due, in order, and lets streams and promises settle in between. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) {
        break;
      }
      this.#timers.delete(next);
      this.#now = next.at;
      next.action();
      await settle();
    }
    this.#now = end;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Reflectors in memory that say only what a test tells them to. */
export class ScriptedPeers {
  readonly connections: ScriptedConnection[] = [];
  accepting = true;
  /** Peers that never answer the connection attempt, as behind a filter: attempts that are still under way. */
  answering = true;
  readonly attempts: Duplex[] = [];

  readonly connect = (target: SessionTarget): Duplex => {
    const [near, far] = duplexPair();
    if (!this.accepting) {
      setImmediate(() => near.destroy(new Error("connect ECONNREFUSED")));
      return near;
    }
    if (!this.answering) {
      this.attempts.push(near);
      return near;
    }
    this.connections.push(new ScriptedConnection(target, near, far));
    setImmediate(() => near.emit("connect"));
    return near;
  };

  /** The newest connection. */
  get last(): ScriptedConnection {
    const connection = this.connections.at(-1);
    if (connection === undefined) {
      throw new Error("no connection has been made");
    }
    return connection;
  }
}

export class ScriptedConnection {
  readonly target: SessionTarget;
  closed = false;
  readonly #near: Duplex;
  readonly #far: Duplex;
  #received = "";

  constructor(target: SessionTarget, near: Duplex, far: Duplex) {
    this.target = target;
    this.#near = near;
    this.#far = far;
    far.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("hex");
    });
    far.on("end", () => {
      this.closed = true;
      far.end();
    });
  }

  send(type: number, body: Buffer): void {
    this.#far.write(message(type, body));
  }

  /** What has come since the last call, as `type body` in hex, without KEEPALIVEs. */
  take(): string[] {
    const keepalive = "04";
    return this.takeAll().filter((text) => text !== keepalive);
  }

  /** The same with KEEPALIVEs. */
  takeAll(): string[] {
    const marker = "f".repeat(32);
    const messages = this.#received.split(marker).filter((text) => text !== "");
    this.#received = "";
    return messages.map((text) => text.slice(4));
  }

  /** The peer takes nothing more, so that what is sent to it waits. */
  stopReading(): void {
    this.#far.pause();
  }

  /** The peer goes away: unlike a TCP socket, a stream in memory does not end its other half by itself. */
  close(): void {
    this.#near.destroy();
  }
}

/** OPEN of a reflector 10.0.7.19 as FRR 8.4.4 sends it: AS 65001, hold time 9. */
export const reflectorOpen = frrOpenFrom("0a000713");
