import type { Clock } from "../bgp/session/clock.js";

/** How long the routes of a lost session stay, in milliseconds. */
export interface RetentionTimes {
  /** Until then as good as before (RFC 4724). */
  readonly restart: number;
  /** For so long after that as the least preferred (RFC 9494). */
  readonly longLived: number;
}

export interface StaleRetentionOptions {
  readonly clock: Clock;
  /** Runs what may throw. */
  readonly schedule: (milliseconds: number, action: () => void) => () => void;
  /** The restart time is over; the routes stay for so many milliseconds as the least preferred. */
  readonly onLongLived: (milliseconds: number) => void;
  readonly onEnd: () => void;
}

interface Deadlines {
  /** By {@link Clock.now}. */
  readonly restart: number;
  readonly end: number;
}

/**
 * The time for which stale routes stay. It runs while the session is away, for the peer to come back (RFC 4724 section 4.2); once it is
 * back they stay until its End-of-RIB, however long a replay takes. But it counts from the first loss: a session that comes
 * and goes without an End-of-RIB must not keep them for ever.
 */
export class StaleRetention {
  readonly #options: StaleRetentionOptions;
  #deadlines: Deadlines | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: StaleRetentionOptions) {
    this.#options = options;
  }

  /** The session is lost. Call it before its routes become stale: those that have been for too long go. */
  sessionLost({ restart, longLived }: RetentionTimes): void {
    const now = this.#options.clock.now();
    if (this.#deadlines !== undefined && now >= this.#deadlines.end) {
      this.#end();
    }
    this.#deadlines ??= { restart: now + restart, end: now + restart + longLived };
  }

  /** From now on the time runs. */
  run(): void {
    if (this.#deadlines === undefined) {
      return;
    }
    this.pause();
    const { restart, end } = this.#deadlines;
    const now = this.#options.clock.now();
    if (now < restart) {
      this.#cancel = this.#options.schedule(restart - now, () => this.run());
    } else if (now < end) {
      this.#options.onLongLived(end - now);
      this.#cancel = this.#options.schedule(end - now, () => this.#end());
    } else {
      this.#end();
    }
  }

  /** The session is back. */
  pause(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Nothing is stale any more. */
  forget(): void {
    this.pause();
    this.#deadlines = undefined;
  }

  #end(): void {
    this.forget();
    this.#options.onEnd();
  }
}
