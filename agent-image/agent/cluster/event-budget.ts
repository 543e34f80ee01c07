/** Events that may be written at once. */
const BURST = 10;
/** Milliseconds until one more may be written. */
const REFILL = 10_000;

/** How many events an agent may write: a fabric that fails is told by every node of a cluster at once. */
export class EventBudget {
  #left = BURST;
  #at: number;

  /** @param now monotonic milliseconds */
  constructor(now: number) {
    this.#at = now;
  }

  /** Whether one more may be written now; it counts as written then. */
  take(now: number): boolean {
    const refilled = Math.floor((now - this.#at) / REFILL);
    this.#left = Math.min(BURST, this.#left + refilled);
    this.#at = this.#left === BURST ? now : this.#at + refilled * REFILL;
    if (this.#left === 0) return false;
    this.#left -= 1;
    return true;
  }
}
