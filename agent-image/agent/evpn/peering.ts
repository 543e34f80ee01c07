import type { Duplex } from "node:stream";
import type { BfdPlan } from "../../../model/configuration/bfd.js";
import type { SessionState, SessionStatus } from "../../../model/index.js";
import type { BfdMonitor } from "../bfd/bfd-service.js";
import type { BfdReport } from "../bfd/bfd-session.js";
import { diagnostics } from "../bfd/control-packet.js";
import { isEvpn } from "../bgp/codec/address-family.js";
import { BgpError, errorCodes } from "../bgp/codec/bgp-error.js";
import { encodeRouteRefresh, type RouteRefreshMessage, refreshPurpose } from "../bgp/codec/route-refresh.js";
import {
  encodeAnnouncement,
  encodeEndOfRib,
  encodeWithdrawal,
  type UpdateEncoding,
  type UpdateMessage,
} from "../bgp/codec/update.js";
import { AdjRibIn, type RouteChange } from "../bgp/rib/adj-rib-in.js";
import { type AdjRibOut, adjRibOut, type OriginatedRoute, routeChanges } from "../bgp/rib/adj-rib-out.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import { type Fill, judgeFill, tooManyRoutes } from "../bgp/rib/route-limit.js";
import type { Clock } from "../bgp/session/clock.js";
import type { Farewell } from "../bgp/session/farewell.js";
import { type Negotiated, restartTime } from "../bgp/session/negotiation.js";
import { PairedSession } from "../bgp/session/paired-session.js";
import { isInternal, type SessionConfig } from "../bgp/session/session-config.js";
import type { SessionTarget, SocketFactory } from "../bgp/session/session-target.js";
import { connectTimeout } from "../bgp/session/timing.js";
import { FaultLog } from "./fault-log.js";
import type { PeerLimits } from "./limit-findings.js";
import type { Log } from "./log.js";
import type { Neighbour } from "./neighbour.js";
import { type BfdSilence, PeerLiveness } from "./peer-liveness.js";
import { type RetentionTimes, StaleRetention } from "./stale-retention.js";

export interface PeeringOptions {
  readonly target: SessionTarget;
  readonly config: SessionConfig;
  readonly connect: SocketFactory;
  readonly bfd: BfdMonitor;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Routes of the peer that are kept at most; see {@link Peering.setRouteLimit}. */
  readonly routeLimit: number;
  readonly onRoutes: (changes: readonly RouteChange[]) => void;
  readonly onState: () => void;
}

/** How things stand when the peering begins. */
export interface PeeringStart {
  /** See {@link Peering.initialStateKnown}. */
  readonly initialStateKnown: boolean;
  /** There was a session with other parameters. */
  readonly returning: boolean;
}

/** How long our End-of-RIB waits for the rest of our routes, in milliseconds: a peer holds back its own meanwhile. */
const endOfRibDelay = 10_000;

/** How long a peer's End-of-RIB is awaited, in milliseconds: one without graceful restart need not send it (RFC 4724 section 2). */
const endOfRibWait = restartTime * 1000;

/**
 * The same in milliseconds for a peer without graceful restart, where no older entry could be lost by starting too early:
 * enough for the first routes to come in one go.
 */
const firstRoutesWait = 5000;

/**
 * How long a restarted node waits for the table of one peer when it has that of another, in milliseconds (RFC 4724 section 4.1,
 * Selection_Deferral_Timer): as long as that it follows nothing new.
 */
const selectionDeferral = 30_000;

/** What a timer can wait for, in milliseconds: nearly 25 days, while a peer may name 194 (RFC 9494 section 3.1). */
const longestTimer = 2 ** 31 - 1;

/** Milliseconds. A peer that has restarted too may itself wait for our routes (RFC 4724 section 4.1). */
function awaiting(restart: Negotiated["peerRestart"]): number {
  if (restart === undefined) return firstRoutesWait;
  return restart.restarted ? 0 : selectionDeferral;
}

/**
 * One session with what was received and sent over it. All networks with the same pair of addresses share it, because
 * BGP allows one session between two addresses.
 */
export class Peering {
  readonly config: SessionConfig;
  readonly #options: PeeringOptions;
  readonly #session: PairedSession;
  readonly #received: AdjRibIn;
  readonly #liveness: PeerLiveness;
  readonly #faults: FaultLog;
  #wanted: AdjRibOut = new Map();
  #sent: AdjRibOut = new Map();
  #encoding: UpdateEncoding | undefined;
  #enhancedRefresh = false;
  #keepsRoutes = false;
  #initialStateKnown: boolean;
  #endOfRibSent = false;
  #whole = false;
  #establishedAt: Date | undefined;
  #losses = 0;
  #routeLimit: number;
  /** After the end of a session over the limit this stays until the next one. */
  #routeFill: Fill = "fine";
  /** Of routes that outlive their session. */
  #retentionTimes: RetentionTimes = { restart: restartTime * 1000, longLived: 0 };
  readonly #retention: StaleRetention;
  /** A peer with graceful restart has not yet sent its End-of-RIB. */
  #endOfRibPending = false;
  /** The kernel holds what this peer told before: to an earlier process, or over a session with other parameters. */
  readonly #entriesStand: boolean;
  /** Undefined: the peer is not awaited. */
  #cancelAwaiting: (() => void) | undefined;
  /** Undefined: no replay of our routes is under way; else whether another one was asked for meanwhile. */
  #replayAgain: boolean | undefined;
  #cancelEndOfRibDelay: (() => void) | undefined;
  #cancelEndOfRibWait: (() => void) | undefined;
  #cancelRefreshWait: (() => void) | undefined;

  constructor(options: PeeringOptions, { initialStateKnown, returning }: PeeringStart) {
    const { config } = options;
    this.config = config;
    this.#entriesStand = config.restarted || returning;
    this.#options = options;
    this.#routeLimit = options.routeLimit;
    this.#initialStateKnown = initialStateKnown;
    this.#received = new AdjRibIn({
      localAsn: config.localAsn,
      internal: isInternal(config),
      routerId: config.routerId,
      ...(config.allowOwnAs === undefined ? {} : { allowOwnAs: config.allowOwnAs }),
    });
    this.#faults = new FaultLog(options.clock, (fields) => this.#log("warn", "faulty UPDATE from a peer", fields));
    this.#retention = new StaleRetention({
      clock: options.clock,
      schedule: (milliseconds, action) => this.#schedule(milliseconds, action),
      onLongLived: (milliseconds) => {
        this.#log("warn", "the routes of a lost session are kept on as the least preferred", { milliseconds });
        options.onRoutes(this.#received.markLongLivedStale());
      },
      onEnd: () => options.onRoutes(this.#received.removeStale()),
    });
    this.#liveness = new PeerLiveness({
      target: options.target,
      monitor: options.bfd,
      clock: options.clock,
      onDown: (report) => this.#onBfdDown(report),
      onChange: () => options.onState(),
    });
    this.#session = new PairedSession({
      ...options,
      returning,
      listener: {
        stateChanged: () => {
          this.#options.onState();
        },
        established: (negotiated) => this.#onEstablished(negotiated),
        lost: (keepRoutes) => this.#onLost(keepRoutes),
        received: (message) => this.#onMessage(message),
        failed: (error) =>
          this.#log("error", "a mistake of this program ends a BGP session", {
            error: error instanceof Error ? error.stack : String(error),
          }),
      },
    });
  }

  /** There was a session with the peer, in this process. */
  get returning(): boolean {
    return this.#session.returning;
  }

  get status(): SessionStatus {
    const bfd = this.#liveness.state;
    return { ...this.#session.status, ...(bfd === undefined ? {} : { bfd }) };
  }

  /** @param imported route targets whose routes count as imported */
  neighbour(imported: readonly string[]): Neighbour {
    return {
      target: this.#options.target,
      config: this.config,
      status: this.status,
      details: this.#session.details,
      establishedAt: this.#establishedAt,
      losses: this.#losses,
      routes: {
        received: this.#received.size + this.#received.withOwnAs,
        imported: this.importedBy(imported).length,
        sent: this.#encoding === undefined ? 0 : this.#sent.size,
      },
    };
  }

  /** See {@link BfdSilence}. */
  get bfdSilence(): BfdSilence | undefined {
    return this.#liveness.silence;
  }

  /** Takes effect at once; the session stays. Undefined: off. */
  setBfd(plan: BfdPlan | undefined): void {
    this.#liveness.configure(plan);
  }

  get state(): SessionState {
    return this.#session.state;
  }

  /** The peer has once sent everything that it has. */
  get whole(): boolean {
    return this.#whole;
  }

  /**
   * Whether this peer had better be heard before entries that stand are taken away (RFC 4724 section 4.1): it is sending its table, or
   * has had little time for an answer. A peer that still clears the last session may refuse the first attempt.
   */
  get awaited(): boolean {
    return this.#cancelAwaiting !== undefined;
  }

  start(): void {
    this.#await(this.#entriesStand ? connectTimeout : 0);
    this.#session.start();
  }

  /** @param milliseconds 0: not any more */
  #await(milliseconds: number): void {
    this.#cancelAwaiting?.();
    this.#cancelAwaiting = undefined;
    if (milliseconds === 0) return;
    this.#cancelAwaiting = this.#schedule(milliseconds, () => {
      this.#cancelAwaiting = undefined;
      this.#options.onState();
    });
  }

  /** A connection that the peer has opened. */
  accept(socket: Duplex): void {
    this.#session.accept(socket);
  }

  async close(farewell: Farewell | undefined): Promise<void> {
    this.#retention.forget();
    this.#await(0);
    this.#leaveEstablished();
    await this.#session.stop(farewell);
    // Not before: FRR 8.4 answers AdminDown with the end of a session that stands, and would not keep our routes.
    this.#liveness.close();
  }

  /** All routes that the peer shall hold. Resolves when the difference has been sent, or there is no session. */
  setRoutes(routes: readonly OriginatedRoute[]): Promise<void> {
    this.#wanted = adjRibOut(routes);
    return this.#sendChanges();
  }

  initialStateKnown(): void {
    this.#initialStateKnown = true;
    this.#sendEndOfRib();
  }

  importedBy(routeTargets: readonly string[]): ReceivedRoute[] {
    return this.#received.importedBy(routeTargets);
  }

  /** Of all routes of the peer. */
  get receivedTargets(): Iterable<string> {
    return this.#received.routeTargets;
  }

  /** The peer has promised to keep our EVPN routes while the session is away (RFC 4724 section 4.2). */
  get keepsRoutes(): boolean {
    return this.#keepsRoutes;
  }

  /** Routes that are not taken because our AS is in their path. */
  get withOwnAs(): number {
    return this.#received.withOwnAs;
  }

  /** How much of its limits the peer uses. */
  get limits(): PeerLimits {
    return {
      peer: this.#options.target.peer,
      routes: this.#routeFill,
      routeLimit: this.#routeLimit,
      messages: this.#session.messageFill,
    };
  }

  /** Takes effect at once: a peer that is left alone for its routes is tried again, one that has sent more is left alone. */
  setRouteLimit(routeLimit: number): void {
    const raised = routeLimit > this.#routeLimit;
    this.#routeLimit = routeLimit;
    if (this.state === "Established") {
      this.#limitRoutes();
    } else if (raised && this.#routeFill === "over the limit") {
      this.#session.start();
    }
  }

  /**
   * The session ends at once (RFC 5882 section 10.2), so that routes of other peers are preferred from now on. Whether its own
   * go too is for RFC 5882 section 4.3 to say: a peer whose BFD shares fate with its control plane (C bit clear, as in FRR)
   * may have restarted that alone and forward all the while, so that they stay for the restart time as with every lost
   * session; one whose BFD runs in the forwarding plane forwards nothing more. That section asks both ends for the bit; ours is
   * clear, but this end knows that it has not restarted: it would not be here to notice.
   */
  #onBfdDown({ diagnostic, peerControlPlaneIndependent }: BfdReport): void {
    // An attempt to connect finds out by itself, and may have begun because the peer is back.
    if (this.state === "Idle" || this.state === "Connect" || this.state === "Active") {
      return;
    }
    const reason =
      diagnostic === diagnostics.detectionTimeExpired ? "its packets stay away" : "it does not receive ours any more";
    this.#session.fail(
      new BgpError(errorCodes.bfdDown, `BFD says that the peer is down: ${reason}`),
      !peerControlPlaneIndependent,
    );
  }

  #onEstablished(negotiated: Negotiated): void {
    this.#liveness.sessionEstablished();
    this.#establishedAt = this.#options.clock.wallTime();
    this.#log("info", "BGP session established", { holdTime: negotiated.holdTime, peerId: negotiated.peerIdentifier });
    this.#encoding = negotiated;
    this.#enhancedRefresh = negotiated.enhancedRefresh;
    this.#keepsRoutes = negotiated.peerRestart?.families.some(isEvpn) ?? false;
    const { peerRestart, longLivedStaleTime } = negotiated;
    // A peer that names no time, or an hour, does not make old routes any better. With LLGR none means that it begins at once.
    const peerTime = longLivedStaleTime > 0 ? peerRestart?.time : peerRestart?.time || undefined;
    this.#retentionTimes = {
      restart: Math.min(peerTime ?? restartTime, restartTime) * 1000,
      longLived: Math.min(longLivedStaleTime * 1000, longestTimer),
    };
    this.#retention.pause();
    this.#endOfRibPending = peerRestart !== undefined;
    this.#await(this.#entriesStand && !this.#whole ? awaiting(peerRestart) : 0);
    this.#routeFill = "fine";
    this.#sent = new Map();
    this.#endOfRibSent = false;
    void this.#sendChanges();
    if (this.#initialStateKnown) {
      this.#sendEndOfRib();
    } else {
      this.#cancelEndOfRibDelay = this.#schedule(endOfRibDelay, () => this.#sendEndOfRib());
    }
    const nothingToLose = !this.#entriesStand && !this.#whole && negotiated.peerRestart === undefined;
    const wait = nothingToLose ? firstRoutesWait : endOfRibWait;
    this.#cancelEndOfRibWait = this.#schedule(wait, () => this.#onWholeTable());
  }

  /**
   * Routes outlive their session for the restart time even when the peer has not promised to keep forwarding (FRR 8.4
   * offers graceful restart without naming EVPN): the hosts sit behind VTEPs that a reflector's absence says nothing
   * about. See {@link StaleRetention} for how long.
   */
  #onLost(keepRoutes: boolean): void {
    this.#liveness.sessionLost();
    this.#losses += 1;
    this.#log("warn", "BGP session lost", { reason: this.#session.status.lastError, keepRoutes });
    this.#leaveEstablished();
    if (!keepRoutes) {
      this.#dropStale();
      this.#options.onRoutes(this.#received.clear());
      return;
    }
    this.#retention.sessionLost(this.#retentionTimes);
    this.#options.onRoutes(this.#received.markStale());
    this.#retention.run();
  }

  #onMessage(message: UpdateMessage | RouteRefreshMessage): void {
    if (message.kind === "route-refresh") {
      this.#onRouteRefresh(message);
      return;
    }
    this.#faults.note(message.faults);
    this.#options.onRoutes(this.#received.apply(message));
    this.#limitRoutes();
    if (message.endOfRib) {
      this.#onWholeTable();
    }
  }

  #limitRoutes(): void {
    const routeLimit = this.#routeLimit;
    const { held } = this.#received;
    const before = this.#routeFill;
    // A peer that loses the session time and again and sends other routes each time must not pile them up.
    if (held + this.#received.heldStale > 2 * routeLimit) this.#dropStale();
    this.#routeFill = judgeFill(held, routeLimit);
    if (this.#routeFill === "over the limit") {
      this.#session.fail(tooManyRoutes(routeLimit));
    } else if (this.#routeFill === "near the limit" && before === "fine") {
      this.#log("warn", "a peer comes near the limit of routes", { routes: held, routeLimit });
    }
  }

  #onWholeTable(): void {
    this.#cancelEndOfRibWait?.();
    this.#endOfRibPending = false;
    this.#whole = true;
    this.#await(0);
    this.#dropStale();
    this.#options.onState();
  }

  #leaveEstablished(): void {
    this.#encoding = undefined;
    this.#replayAgain = undefined;
    this.#cancelEndOfRibDelay?.();
    this.#cancelEndOfRibWait?.();
    this.#cancelRefreshWait?.();
  }

  #onRouteRefresh(message: RouteRefreshMessage): void {
    const purpose = refreshPurpose(message);
    if (purpose === "request") {
      void this.#replay();
    } else if (purpose === "begin" && this.#endOfRibPending) {
      // RFC 7313 section 4: what the peer has kept over its restart is not there yet.
      this.#log("warn", "a peer marks the begin of a replay before its End-of-RIB, which means nothing", {});
    } else if (purpose === "begin" && this.#enhancedRefresh) {
      this.#received.beginRefresh();
      this.#cancelRefreshWait?.();
      this.#cancelRefreshWait = this.#schedule(endOfRibWait, () => this.#endRefresh());
    } else if (purpose === "end" && this.#enhancedRefresh) {
      this.#endRefresh();
    }
  }

  /** One at a time: a peer that asks without end and does not read would fill our memory with answers. */
  async #replay(): Promise<void> {
    if (this.#replayAgain !== undefined) {
      this.#replayAgain = true;
      return;
    }
    const encoding = this.#encoding;
    do {
      this.#replayAgain = false;
      this.#sent = new Map();
      // RFC 7313 section 4: no mark goes before our End-of-RIB, up to which all that is sent is the first table anyway.
      const isMarked = this.#enhancedRefresh && this.#endOfRibSent;
      const mark = (purpose: "begin" | "end") =>
        isMarked ? this.#session.send([encodeRouteRefresh(purpose)]) : Promise.resolve();
      await Promise.all([mark("begin"), this.#sendChanges(), mark("end")]);
    } while (this.#replayAgain && this.#encoding === encoding);
    if (this.#encoding === encoding) this.#replayAgain = undefined;
  }

  #endRefresh(): void {
    this.#cancelRefreshWait?.();
    this.#options.onRoutes(this.#received.endRefresh());
  }

  #dropStale(): void {
    this.#retention.forget();
    this.#options.onRoutes(this.#received.removeStale());
  }

  /** New routes before withdrawals: a host that changes its route is never without one. */
  #sendChanges(): Promise<void> {
    const encoding = this.#encoding;
    if (encoding === undefined) {
      return Promise.resolve();
    }
    try {
      const { announced, withdrawn } = routeChanges(this.#sent, this.#wanted);
      const messages = [
        ...announced.flatMap(({ routes, announcement }) => encodeAnnouncement(routes, announcement, encoding)),
        ...encodeWithdrawal(withdrawn, encoding),
      ];
      this.#sent = this.#wanted;
      return this.#session.send(messages);
    } catch (error) {
      // A route that cannot be encoded: peer and node would disagree about what was announced.
      this.#session.fail(error);
      return Promise.resolve();
    }
  }

  #schedule(milliseconds: number, action: () => void): () => void {
    return this.#options.clock.schedule(milliseconds, () => {
      try {
        action();
      } catch (error) {
        this.#session.fail(error);
      }
    });
  }

  #sendEndOfRib(): void {
    if (this.#encoding === undefined || this.#endOfRibSent) {
      return;
    }
    this.#cancelEndOfRibDelay?.();
    this.#endOfRibSent = true;
    void this.#session.send([encodeEndOfRib()]);
  }

  #log(level: Parameters<Log>[0], message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#options.log(level, message, { ...this.#options.target, ...fields });
  }
}
