import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type Clock, systemClock } from "../bgp/session/clock.js";
import { closeSocket } from "../system/socket-calls.js";
import type { BfdNews, BfdTarget, HeldSession } from "./bfd-speaker.js";
import type { BfdParameters } from "./parameters.js";
import type { BfdMessage, BfdOrder } from "./thread-messages.js";

/** Sessions of BFD, as those see it who want to know whether a peer is there. */
export interface BfdMonitor {
  open(target: BfdTarget, parameters: BfdParameters, onNews: (news: BfdNews) => void): BfdHandle;
  /** Tells the peers that the end is no failure. Resolves when that has left. */
  end(): Promise<void>;
}

export interface BfdHandle {
  configure(parameters: BfdParameters): void;
  close(): void;
}

export interface BfdServiceOptions {
  /** The thread has ended by a mistake of this program; it is started again. */
  readonly onFailure: (error: Error) => void;
  /** For tests. */
  readonly startThread?: () => Worker;
  readonly clock?: Clock;
}

interface Watched {
  readonly target: BfdTarget;
  readonly onNews: (news: BfdNews) => void;
  parameters: BfdParameters;
  held: HeldSession | undefined;
}

/**
 * Milliseconds that a thread must have lived for its sessions to go on in the next one: what one of them brings with it may be what
 * ends it.
 */
const steadyLife = 10_000;
/** Milliseconds until the next one is started after one that has lived for less. */
const restartDelay = 1000;

/**
 * BFD in a thread of its own: the main thread may work for longer than a peer waits, on a hundred thousand routes or on a
 * large answer of the kernel, and the peer would take the node for dead. It is started with the first session.
 */
export class BfdService implements BfdMonitor {
  readonly #options: Required<BfdServiceOptions>;
  readonly #watched = new Map<number, Watched>();
  #worker: Worker | undefined;
  #lastId = 0;
  #cancelRestart: (() => void) | undefined;

  constructor(options: BfdServiceOptions) {
    this.#options = { startThread: () => new Worker(join(__dirname, "bfd-thread.js")), clock: systemClock, ...options };
  }

  open(target: BfdTarget, parameters: BfdParameters, onNews: (news: BfdNews) => void): BfdHandle {
    this.#lastId += 1;
    const id = this.#lastId;
    const watched: Watched = { target, parameters, onNews, held: undefined };
    this.#watched.set(id, watched);
    if (this.#worker === undefined && this.#cancelRestart === undefined) {
      this.#start();
    } else {
      this.#order({ kind: "open", id, target, parameters });
    }
    return {
      configure: (wanted) => {
        watched.parameters = wanted;
        this.#order({ kind: "configure", id, parameters: wanted });
      },
      close: () => {
        this.#watched.delete(id);
        if (this.#worker === undefined) release(watched);
        this.#order({ kind: "close", id });
      },
    };
  }

  async end(): Promise<void> {
    this.#cancelRestart?.();
    this.#watched.clear();
    const worker = this.#worker;
    if (worker === undefined) {
      return;
    }
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    this.#order({ kind: "end" });
    this.#worker = undefined;
    await ended;
  }

  #start(): void {
    const { startThread, clock } = this.#options;
    const worker = startThread();
    const started = clock.now();
    let failure: Error | undefined;
    this.#worker = worker;
    worker.on("message", (message: BfdMessage) => this.#onMessage(message));
    worker.on("error", (error: Error) => {
      failure = error;
    });
    // Not before: until then its ports are taken.
    worker.on("exit", (code) => {
      if (this.#worker === worker) {
        this.#onEnd(failure ?? new Error(`the thread has ended with code ${code}`), clock.now() - started);
      }
    });
    for (const [id, { target, parameters, held }] of this.#watched) {
      this.#order({ kind: "open", id, target, parameters, ...(held && { held }) });
    }
  }

  #onMessage({ id, news, held }: BfdMessage): void {
    const watched = this.#watched.get(id);
    if (watched !== undefined) {
      watched.held = held;
      watched.onNews(news);
    }
  }

  /**
   * After the first mistake in a long time the next thread goes on with the sessions, before the peers miss a packet: they
   * would end the BGP sessions, as for a node that is dead.
   */
  #onEnd(error: Error, lived: number): void {
    this.#worker = undefined;
    this.#options.onFailure(error);
    const steady = lived >= steadyLife;
    for (const watched of this.#watched.values()) {
      if (!steady) release(watched);
      watched.onNews({ kind: "problem", problem: { code: "", message: error.message } });
    }
    this.#cancelRestart = this.#options.clock.schedule(steady ? 0 : restartDelay, () => {
      this.#cancelRestart = undefined;
      this.#start();
    });
  }

  #order(order: BfdOrder): void {
    this.#worker?.postMessage(order);
  }
}

/** Of a thread that has ended: nobody else closes its socket. */
function release(watched: Watched): void {
  if (watched.held !== undefined) closeSocket(watched.held.descriptor);
  watched.held = undefined;
}
