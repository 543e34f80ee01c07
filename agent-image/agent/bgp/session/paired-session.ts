import type { Duplex } from "node:stream";
import type { SessionState, SessionStatus } from "../../../../model/index.js";
import { encodeNotification } from "../codec/notification.js";
import type { Fill } from "../rib/route-limit.js";
import { BgpSession, type BgpSessionOptions, type SessionListener } from "./bgp-session.js";
import { discardSocket } from "./discard-socket.js";
import { connectionCollision, type Farewell } from "./farewell.js";
import { MessageCounter } from "./message-counts.js";
import type { SessionDetails } from "./session-details.js";

export type PairedSessionOptions = Omit<BgpSessionOptions, "rival" | "counter">;

/** From the beginning to the end of the way (RFC 4271 section 8.2.2). */
const progress: readonly SessionState[] = ["Idle", "Active", "Connect", "OpenSent", "OpenConfirm", "Established"];

/** States with a connection. */
const connected: readonly SessionState[] = ["OpenSent", "OpenConfirm", "Established"];

/**
 * The one session with a peer, over a connection that either side may open. Beside ours there may for a while be one that the
 * peer has opened, each with a state machine of its own, until RFC 4271 section 6.8 says which stays: that one is the
 * session from then on, and the one that tries again.
 */
export class PairedSession {
  readonly #options: PairedSessionOptions;
  readonly #counter = new MessageCounter();
  #session: BgpSession;
  /** A connection of the peer that has not won yet. */
  #incoming: BgpSession | undefined;
  #closed = false;

  constructor(options: PairedSessionOptions) {
    this.#options = options;
    this.#session = this.#make(options.returning ?? false);
  }

  /** Of the connection that is further. */
  get state(): SessionState {
    const own = this.#session.state;
    const other = this.#incoming?.state ?? "Idle";
    return progress.indexOf(other) > progress.indexOf(own) ? other : own;
  }

  get status(): SessionStatus {
    return { ...this.#session.status, state: this.state };
  }

  get details(): SessionDetails {
    return this.#session.details;
  }

  get messageFill(): Fill {
    return this.#session.messageFill;
  }

  /** See {@link BgpSession.returning}. */
  get returning(): boolean {
    return this.#session.returning;
  }

  start(): void {
    this.#session.start();
  }

  /**
   * A connection that the peer has opened. It is refused where the session stands, and after a fault until it may be tried again
   * (RFC 4271 section 8.2.2, Idle). An earlier one over which nothing has come yet gives way: a peer that starts again knows
   * nothing of it.
   */
  accept(socket: Duplex): void {
    if (this.#closed || this.#session.state === "Idle") {
      discardSocket(socket);
      return;
    }
    if (this.#session.state === "Established" || this.#incoming?.state === "OpenConfirm") {
      this.#refuse(socket);
      return;
    }
    void this.#incoming?.stop(connectionCollision);
    const incoming = this.#make(this.#session.returning);
    this.#incoming = incoming;
    incoming.accept(socket);
  }

  async stop(farewell?: Farewell): Promise<void> {
    this.#closed = true;
    const incoming = this.#incoming;
    this.#incoming = undefined;
    await Promise.all([this.#session.stop(farewell), incoming?.stop(farewell)]);
  }

  send(messages: readonly Buffer[]): Promise<void> {
    return this.#session.send(messages);
  }

  /** @param keepRoutes whether the peer may still forward by what it told */
  fail(error: unknown, keepRoutes?: boolean): void {
    this.#session.fail(error, keepRoutes);
  }

  #make(returning: boolean): BgpSession {
    const { listener } = this.#options;
    const paired: SessionListener = {
      ...listener,
      stateChanged: () => this.#onState(session),
      endRival: () => this.#win(session),
    };
    const session: BgpSession = new BgpSession({
      ...this.#options,
      listener: paired,
      counter: this.#counter,
      rival: () => this.#rivalOf(session)?.state,
      returning,
    });
    return session;
  }

  #rivalOf(session: BgpSession): BgpSession | undefined {
    return session === this.#session ? this.#incoming : this.#session;
  }

  #onState(session: BgpSession): void {
    // A connection of the peer is tried once: the next attempt is the peer's, or our own.
    if (session === this.#incoming && !connected.includes(session.state)) {
      this.#incoming = undefined;
      void session.stop();
    }
    this.#options.listener.stateChanged();
  }

  #win(session: BgpSession): void {
    const rival = this.#rivalOf(session);
    this.#session = session;
    this.#incoming = undefined;
    void rival?.stop(connectionCollision);
  }

  #refuse(socket: Duplex): void {
    const { errorCode, data } = connectionCollision;
    socket.on("error", () => undefined).resume();
    socket.end(encodeNotification(errorCode, data));
    const cancel = this.#options.clock.schedule(refusalTimeout, () => socket.destroy());
    socket.once("close", cancel);
  }
}

/** Milliseconds for a refusal to leave. */
const refusalTimeout = 1000;
