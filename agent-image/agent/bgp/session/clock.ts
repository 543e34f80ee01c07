/** Time as the speaker sees it; tests bring their own. */
export interface Clock {
  /** Milliseconds, monotonic: for intervals. A step of the wall clock must neither end nor freeze anything. */
  now(): number;
  /** For people. */
  wallTime(): Date;
  /** Returns what takes the timer back. 0 milliseconds: as soon as what has arrived by now is read. */
  schedule(milliseconds: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallTime: () => new Date(),
  schedule(milliseconds, action) {
    if (milliseconds === 0) {
      // A timer of Node's waits for a whole millisecond at least, half of what a move takes.
      const immediate = setImmediate(action);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};
