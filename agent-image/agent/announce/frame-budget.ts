/**
 * How many frames a node may send, as a token bucket: plain data and pure functions. Switches and gateways limit what
 * reaches their processors to some thousands of ARP frames a second for all hosts together; a node that takes over a
 * thousand addresses at once must not drown the others' frames, nor have its own dropped.
 */
export interface FrameBudget {
  /** Frames that may leave at once. */
  readonly frames: number;
  /** Monotonic milliseconds when that was so. */
  readonly at: number;
}

/** Frames a second. */
export const budgetRate = 1000;
/** Frames that may leave together after a pause. */
export const budgetDepth = 200;

export function fullBudget(now: number): FrameBudget {
  return { frames: budgetDepth, at: now };
}

export function refill({ frames, at }: FrameBudget, now: number): FrameBudget {
  return { frames: Math.min(budgetDepth, frames + ((now - at) * budgetRate) / 1000), at: now };
}

export function spend({ frames, at }: FrameBudget, sent: number): FrameBudget {
  return { frames: frames - sent, at };
}

/** Monotonic milliseconds when so many frames may leave. */
export function affordableAt({ frames, at }: FrameBudget, wanted: number): number {
  return at + Math.max(0, ((wanted - frames) * 1000) / budgetRate);
}
