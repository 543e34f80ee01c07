import type { BfdPlan } from "../../../model/configuration/bfd.js";
import type { BfdState } from "../../../model/index.js";
import type { BfdHandle, BfdMonitor } from "../bfd/bfd-service.js";
import type { BfdReport } from "../bfd/bfd-session.js";
import type { BfdNews, BfdProblem } from "../bfd/bfd-speaker.js";
import { connectedPrefixes, type Hop, hopTo } from "../bfd/hop.js";
import type { Clock } from "../bgp/session/clock.js";
import type { SessionTarget } from "../bgp/session/session-target.js";

export interface PeerLivenessOptions {
  readonly target: SessionTarget;
  readonly monitor: BfdMonitor;
  readonly clock: Clock;
  /** The peer was there and is not any more. */
  readonly onDown: (report: BfdReport) => void;
  /** {@link PeerLiveness.state} or {@link PeerLiveness.silence} may have changed. */
  readonly onChange: () => void;
}

/** A peer with a BGP session whose death BFD would not notice. */
export interface BfdSilence extends SessionTarget {
  readonly hop: Hop;
  /** The peer says that its operator has shut BFD down. */
  readonly shutDown: boolean;
  /** What keeps this node from trying. */
  readonly problem: BfdProblem | undefined;
}

/** Milliseconds that a peer with a BGP session may take to answer: from Down to Up it takes some packets, one a second. */
const patience = 15_000;

interface Watch {
  readonly handle: BfdHandle;
  readonly hop: Hop;
  report: BfdReport | undefined;
  problem: BfdProblem | undefined;
}

/**
 * BFD with one BGP peer. It begins with the first BGP session (RFC 5882 section 4.2.1: the control protocol is what finds the
 * peer) and then goes on beside it: neither does BGP wait for BFD, for a peer may have none, nor does a session that
 * ends end it.
 */
export class PeerLiveness {
  readonly #options: PeerLivenessOptions;
  #plan: BfdPlan | undefined;
  #watch: Watch | undefined;
  #established = false;
  #silent = false;
  #cancelPatience: (() => void) | undefined;

  constructor(options: PeerLivenessOptions) {
    this.#options = options;
  }

  /** Undefined where BFD is off or has not begun. */
  get state(): BfdState | undefined {
    return this.#watch?.report?.state;
  }

  /** Undefined while all is well, or not to be expected yet. */
  get silence(): BfdSilence | undefined {
    const watch = this.#watch;
    if (!this.#established || watch === undefined || !(this.#silent || watch.problem !== undefined)) {
      return undefined;
    }
    const shutDown = watch.report?.remoteState === "AdminDown";
    return { ...this.#options.target, hop: watch.hop, shutDown, problem: watch.problem };
  }

  /** Takes effect at once, without an end of the BGP session. Undefined: off. */
  configure(plan: BfdPlan | undefined): void {
    this.#plan = plan;
    if (plan === undefined) {
      this.close();
    } else if (this.#established) {
      this.#begin(plan);
    }
  }

  sessionEstablished(): void {
    this.#established = true;
    if (this.#plan !== undefined) {
      this.#begin(this.#plan);
    }
  }

  sessionLost(): void {
    this.#established = false;
    this.#forgetSilence();
  }

  /** Tells the peer that this is no failure. */
  close(): void {
    this.#forgetSilence();
    this.#watch?.handle.close();
    this.#watch = undefined;
  }

  #begin(plan: BfdPlan): void {
    const { target, monitor } = this.#options;
    // Looked up now: a session stands, so that the interface to the peer is up.
    const hop =
      plan.multihop === undefined ? hopTo(target.peer, connectedPrefixes()) : plan.multihop ? "multi" : "single";
    if (this.#watch !== undefined && this.#watch.hop !== hop) {
      this.close();
    }
    if (this.#watch === undefined) {
      const handle = monitor.open({ ...target, hop }, plan, (news) => {
        if (this.#watch?.handle === handle) this.#onNews(this.#watch, news);
      });
      this.#watch = { handle, hop, report: undefined, problem: undefined };
    } else {
      this.#watch.handle.configure(plan);
    }
    this.#awaitUp();
  }

  #onNews(watch: Watch, news: BfdNews): void {
    const before = watch.report;
    if (news.kind === "problem") {
      watch.problem = news.problem;
      watch.report = undefined;
    } else {
      watch.problem = undefined;
      watch.report = news.report;
      // RFC 5882 section 4.2.2: an operator who shuts BFD down does not want the routes to go.
      if (before?.state === "Up" && news.report.state === "Down" && news.report.remoteState !== "AdminDown") {
        this.#options.onDown(news.report);
      }
    }
    this.#awaitUp();
    this.#options.onChange();
  }

  #awaitUp(): void {
    if (this.state === "Up") {
      this.#forgetSilence();
    } else if (this.#established && this.#cancelPatience === undefined) {
      this.#cancelPatience = this.#options.clock.schedule(patience, () => {
        this.#silent = true;
        this.#options.onChange();
      });
    }
  }

  #forgetSilence(): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    this.#silent = false;
  }
}
