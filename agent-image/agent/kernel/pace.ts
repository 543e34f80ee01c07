/** Milliseconds without a further event before a pass: deleting an interface is a dozen events. */
export const settleTime = 50;
/** Milliseconds after which a stream of events (a rolling update moves hundreds of pods) does not put a pass off any more. */
export const longestSettling = 300;
/**
 * Milliseconds between the end of a pass and the begin of the next one. It bounds what a storm of events costs, and with the
 * time of two passes it stays under the second in which a repair has to stand.
 */
export const restTime = 400;

/** Monotonic: a step of the wall clock must neither hold a repair back nor start one after the other. */
export interface PaceClock {
  /** Milliseconds. */
  now(): number;
  /** Returns what takes the timer back. */
  schedule(milliseconds: number, action: () => void): () => void;
}

export const monotonicClock: PaceClock = {
  now: () => performance.now(),
  schedule(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** When to ask for a pass after events: soon, but neither during another pass nor shortly after one. */
export class Pace {
  private readonly ask: () => void;
  private readonly clock: PaceClock;
  /** When the events came that no pass has answered. */
  private waiting: { readonly first: number; readonly last: number } | undefined;
  private cancel: (() => void) | undefined;
  private cancelLater: (() => void) | undefined;
  private earliest = 0;
  private running = 0;
  private closed = false;

  constructor(ask: () => void, clock: PaceClock = monotonicClock) {
    this.ask = ask;
    this.clock = clock;
  }

  /** Something happened that a pass has to look at. */
  event(): void {
    const now = this.clock.now();
    this.waiting = { first: this.waiting?.first ?? now, last: now };
    // The timer that runs looks at `last` when it fires: one timer for a thousand events.
    if (this.cancel === undefined) this.plan();
  }

  /** As if something happened then, whatever happens before; replaces what was said so before. */
  eventIn(milliseconds: number): void {
    this.cancelLater?.();
    this.cancelLater = this.clock.schedule(milliseconds, () => this.event());
  }

  /** A pass begins; it sees everything that happened before. */
  passBegins(): void {
    this.running += 1;
    this.waiting = undefined;
    this.stopTimer();
  }

  passEnds(): void {
    this.running -= 1;
    this.earliest = this.clock.now() + restTime;
    this.plan();
  }

  close(): void {
    this.closed = true;
    this.stopTimer();
    this.cancelLater?.();
  }

  private plan(): void {
    if (this.closed || this.running > 0 || this.waiting === undefined) return;
    const now = this.clock.now();
    const due = Math.max(this.earliest, this.settled(this.waiting));
    if (due > now) {
      this.cancel = this.clock.schedule(due - now, () => {
        this.cancel = undefined;
        this.plan();
      });
      return;
    }
    this.waiting = undefined;
    // Who is asked may need no pass; the next one keeps its distance all the same.
    this.earliest = now + restTime;
    this.ask();
  }

  private settled({ first, last }: { readonly first: number; readonly last: number }): number {
    return Math.min(last + settleTime, first + longestSettling);
  }

  private stopTimer(): void {
    this.cancel?.();
    this.cancel = undefined;
  }
}
