import type { Duplex } from "node:stream";
import type { SessionState, SessionStatus } from "../../../../model/index.js";
import { BgpError, errorCodes } from "../codec/bgp-error.js";
import { decodeMessage } from "../codec/decode-message.js";
import { keepaliveBytes } from "../codec/keepalive.js";
import { type Frame, MessageFramer } from "../codec/message-header.js";
import { encodeNotification } from "../codec/notification.js";
import { encodeOpen, type OpenMessage } from "../codec/open.js";
import type { RouteRefreshMessage } from "../codec/route-refresh.js";
import type { UpdateMessage } from "../codec/update.js";
import type { Fill } from "../rib/route-limit.js";
import type { Clock } from "./clock.js";
import type { Initiator } from "./collision.js";
import type { Farewell } from "./farewell.js";
import { MessageCounter } from "./message-counts.js";
import { MessageRate } from "./message-rate.js";
import type { Negotiated } from "./negotiation.js";
import { isInternal, type SessionConfig } from "./session-config.js";
import type { SessionDetails } from "./session-details.js";
import {
  initialMachine,
  type SessionAction,
  type SessionEvent,
  type SessionMachine,
  type SessionTimer,
  transition,
} from "./session-machine.js";
import type { SessionTarget, SocketFactory } from "./session-target.js";
import { jittered, sendHoldTime } from "./timing.js";

export interface SessionListener {
  stateChanged(): void;
  established(negotiated: Negotiated): void;
  lost(keepRoutes: boolean): void;
  /** The other connection with this peer shall end; only where there is one. */
  endRival?(): void;
  received(message: UpdateMessage | RouteRefreshMessage): void;
  /** A mistake of this program, not of the peer; the session ends with it. */
  failed(error: unknown): void;
}

export interface BgpSessionOptions {
  readonly target: SessionTarget;
  readonly config: SessionConfig;
  readonly connect: SocketFactory;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly listener: SessionListener;
  /** State of another connection with the same peer. */
  readonly rival?: () => SessionState | undefined;
  /** There was a session with the peer before, in this process. */
  readonly returning?: boolean;
  /** Where several connections with the peer count together. */
  readonly counter?: MessageCounter;
}

/** Timers that RFC 4271 section 10 wants jittered. */
const jitteredTimers: readonly SessionTimer[] = ["connect-retry", "keepalive", "idle-hold"];

/** How long a farewell may take to leave before the connection is cut, in milliseconds. */
const farewellTimeout = 1000;

/**
 * One connection to one peer: carries out what the state machine decides and tells it what happens. Whatever is thrown on
 * the way ends this session and is its last error; the sessions of other peers and the process go on.
 */
export class BgpSession {
  readonly #options: BgpSessionOptions;
  readonly #timers = new Map<SessionTimer, () => void>();
  readonly #events: SessionEvent[] = [];
  #machine: SessionMachine;
  #busy = false;
  #socket: Duplex | undefined;
  /** Who opened the connection of {@link BgpSession.#socket}; the next one may be the other's. */
  #initiator: Initiator = "us";
  /** What was sent over it and waits for room in the peer's window. */
  #waiting = 0;
  #framer: MessageFramer | undefined;
  readonly #rate = new MessageRate();
  readonly #counter: MessageCounter;
  #ownOpen: OpenMessage | undefined;
  #peerOpen: OpenMessage | undefined;
  /** TCP has answered, so that there may be bytes under way. */
  #connected = false;
  #since: Date;
  #lastError: string | undefined;

  constructor(options: BgpSessionOptions) {
    this.#options = options;
    this.#counter = options.counter ?? new MessageCounter();
    this.#since = options.clock.wallTime();
    this.#machine = { ...initialMachine, returning: options.returning ?? false };
  }

  get state(): SessionState {
    return this.#machine.state;
  }

  get status(): SessionStatus {
    return {
      peer: this.#options.target.peer,
      state: this.#machine.state,
      since: this.#since.toISOString(),
      ...(this.#lastError === undefined ? {} : { lastError: this.#lastError }),
    };
  }

  get details(): SessionDetails {
    return {
      ownOpen: this.#ownOpen,
      peerOpen: this.#peerOpen,
      negotiatedHoldTime: this.#machine.negotiated?.holdTime,
      sent: this.#counter.sent,
      received: this.#counter.received,
    };
  }

  /** Of what the peer may send in so short a time. */
  get messageFill(): Fill {
    return this.#rate.fill(this.#options.clock.now());
  }

  /** There has been a session, so that forwarding went on while the connection was away. */
  get returning(): boolean {
    return this.#machine.returning;
  }

  start(): void {
    this.#dispatch({ kind: "start" });
  }

  /** Instead of {@link start}: a connection that the peer has opened. */
  accept(socket: Duplex): void {
    this.#attach(socket, "peer");
    this.#connected = true;
    this.#dispatch({ kind: "accepted" });
  }

  /**
   * Without a farewell the connection just goes away, so that a peer with graceful restart keeps our routes. Resolves
   * when the connection is closed.
   */
  async stop(farewell?: Farewell): Promise<void> {
    const socket = this.#socket;
    const closed =
      socket === undefined ? undefined : new Promise<void>((resolve) => socket.once("close", () => resolve()));
    this.#dispatch({ kind: "stop", farewell });
    await closed;
  }

  /**
   * Whole messages. Resolves when they have left for the kernel, or when the connection is gone: then they are dropped,
   * because the next connection starts afresh anyway.
   */
  send(messages: readonly Buffer[]): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || messages.length === 0) {
      return Promise.resolve();
    }
    this.#counter.countSent(messages);
    this.#waiting += 1;
    if (this.#waiting === 1) this.#awaitRoom();
    return new Promise((resolve) => {
      socket.write(Buffer.concat(messages), () => {
        if (this.#socket === socket) this.#gone();
        resolve();
      });
    });
  }

  #gone(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#stopTimer("send-hold");
    else this.#awaitRoom();
  }

  #awaitRoom(): void {
    this.#startTimer("send-hold", sendHoldTime(this.#machine.negotiated?.holdTime ?? 0));
  }

  /**
   * Ends the connection because something outside this class went wrong with it; the next attempt comes as after any fault.
   *
   * @param keepRoutes whether the peer may still forward by what it told
   */
  fail(error: unknown, keepRoutes = true): void {
    this.#dispatch({ kind: "fault", error: this.#asFault(error), keepRoutes });
  }

  /** Events that an action causes wait until the actions before it are done. */
  #dispatch(event: SessionEvent): void {
    this.#events.push(event);
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      this.#step(next);
    }
    this.#busy = false;
  }

  #step(event: SessionEvent): void {
    const failures: unknown[] = [];
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        failures.push(error);
      }
    };
    attempt(() => {
      const before = this.#machine.state;
      const now = this.#options.clock.now();
      const { config, rival } = this.#options;
      const contest = { initiator: this.#initiator, rival: rival?.() };
      const { machine, actions } = transition(this.#machine, event, { config, now, contest });
      this.#machine = machine;
      if ((before === "Established") !== (machine.state === "Established")) {
        this.#since = this.#options.clock.wallTime();
      }
      // Each for itself: a list that ends a session must close the connection and set the timer in any case.
      for (const action of actions) {
        attempt(() => this.#perform(action));
      }
      if (before !== machine.state) {
        attempt(() => this.#options.listener.stateChanged());
      }
    });
    const [failure] = failures;
    // Where the session has ended already, ending it once more would only start it again.
    if (failures.length > 0 && event.kind !== "fault" && event.kind !== "stop") {
      this.#events.unshift({ kind: "fault", error: this.#asFault(failure) });
    }
  }

  #asFault(error: unknown): BgpError {
    if (error instanceof BgpError) {
      return error;
    }
    this.#options.listener.failed(error);
    const message = error instanceof Error ? error.message : String(error);
    return new BgpError(errorCodes.internalError, `this speaker could not go on with the session: ${message}`);
  }

  #perform(action: SessionAction): void {
    const { listener } = this.#options;
    switch (action.kind) {
      case "connect":
        this.#connect();
        break;
      case "disconnect":
        this.#disconnect();
        break;
      case "send-open":
        this.#ownOpen = action.open;
        void this.send([encodeOpen(action.open)]);
        break;
      case "send-keepalive":
        void this.send([keepaliveBytes]);
        break;
      case "send-notification":
        void this.send([encodeNotification(action.errorCode, action.data)]);
        break;
      case "start-timer":
        this.#startTimer(action.timer, action.milliseconds);
        break;
      case "stop-timer":
        this.#stopTimer(action.timer);
        break;
      case "negotiated":
        if (this.#framer !== undefined) {
          this.#framer.maximumLength = action.negotiated.maximumMessageLength;
        }
        break;
      case "end-rival":
        listener.endRival?.();
        break;
      case "established":
        this.#lastError = undefined;
        listener.established(action.negotiated);
        break;
      case "lost":
        listener.lost(action.keepRoutes);
        break;
      case "deliver":
        listener.received(action.message);
        break;
      case "report":
        this.#lastError = action.error;
        break;
    }
  }

  #connect(): void {
    const socket = this.#options.connect(this.#options.target, this.#options.config);
    this.#attach(socket, "us");
    socket.on("connect", () => {
      if (this.#socket === socket) {
        this.#connected = true;
        this.#dispatch({ kind: "connected" });
      }
    });
  }

  #attach(socket: Duplex, initiator: Initiator): void {
    const framer = new MessageFramer();
    this.#socket = socket;
    this.#initiator = initiator;
    this.#waiting = 0;
    this.#ownOpen = undefined;
    this.#peerOpen = undefined;
    this.#framer = framer;
    this.#connected = false;
    let reason = "the peer closed the connection";
    socket.on("data", (chunk: Buffer) => this.#read(socket, framer, chunk));
    socket.on("error", (error: Error) => {
      reason = error.message;
    });
    socket.on("close", () => {
      if (this.#socket === socket) {
        this.#socket = undefined;
        this.#dispatch({ kind: "connection-lost", reason });
      }
    });
  }

  #disconnect(): void {
    const socket = this.#socket;
    if (socket === undefined) {
      return;
    }
    this.#socket = undefined;
    if (!this.#connected) {
      socket.destroy();
      return;
    }
    socket.end();
    const cancel = this.#options.clock.schedule(farewellTimeout, () => socket.destroy());
    socket.once("close", cancel);
  }

  #read(socket: Duplex, framer: MessageFramer, chunk: Buffer): void {
    try {
      for (const frame of framer.push(chunk)) {
        if (this.#socket !== socket) {
          return;
        }
        this.#brake(socket);
        this.#counter.countReceived(frame.kind);
        const message = this.#decode(frame);
        if (message.kind === "open") this.#peerOpen = message;
        this.#dispatch({ kind: "message", message });
      }
    } catch (error) {
      if (this.#socket === socket) {
        this.fail(error);
      }
    }
  }

  #brake(socket: Duplex): void {
    const { clock } = this.#options;
    const wait = this.#rate.take(clock.now());
    if (wait > 0 && !socket.isPaused()) {
      socket.pause();
      clock.schedule(wait, () => socket.resume());
    }
  }

  #decode(frame: Frame): ReturnType<typeof decodeMessage> {
    return decodeMessage(frame, {
      fourOctetAs: this.#machine.negotiated?.fourOctetAs ?? false,
      internal: isInternal(this.#options.config),
    });
  }

  #startTimer(timer: SessionTimer, milliseconds: number): void {
    this.#stopTimer(timer);
    const { clock, random } = this.#options;
    const delay = jitteredTimers.includes(timer) ? jittered(milliseconds, random()) : milliseconds;
    const expire = () => {
      this.#timers.delete(timer);
      this.#dispatch({ kind: "timer-expired", timer });
    };
    // A process that was held up itself has messages waiting that came in time: not before they are read, which the brake delays.
    const heard = () => (this.#socket?.isPaused() ? this.#startTimer(timer, milliseconds) : expire());
    const due = timer === "hold" ? () => void this.#timers.set(timer, clock.schedule(0, heard)) : expire;
    this.#timers.set(timer, clock.schedule(delay, due));
  }

  #stopTimer(timer: SessionTimer): void {
    this.#timers.get(timer)?.();
    this.#timers.delete(timer);
  }
}
