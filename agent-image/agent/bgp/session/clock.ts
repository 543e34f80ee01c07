/** Time as the speaker sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds, monotonic: for intervals. A step of the wall clock must neither end nor freeze anything. */
  now(): number;
  /** For people. */
  wallTime(): Date;
  /** Returns what takes the timer back. */
  schedule(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => new Date(),
  schedule(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
