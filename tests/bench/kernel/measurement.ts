import type { Usage } from "./usage.js";

/** One line of a table: the same work by our code and by the peer. */
export interface Comparison {
  readonly size: number;
  readonly work: string;
  readonly ours: Usage;
  readonly peer: Usage;
  /** What the peer is. */
  readonly by: string;
}

/** Of the process that measured, in MiB. */
export interface Memory {
  readonly size: number;
  readonly beforehand: number;
  readonly afterwards: number;
  readonly highest: number;
}

/** What a measuring process prints as JSON. */
export interface Measured {
  readonly comparisons: readonly Comparison[];
  readonly memory: Memory;
}
