/** What the two ends of a BFD session tell each other of themselves; intervals in milliseconds. */
export interface BfdParameters {
  /** Between two packets that we send while the session is Up, at the least. */
  readonly minTxInterval: number;
  /** Between two packets that we are ready to receive. */
  readonly minRxInterval: number;
  /** Packets that may be lost in a row before the session is Down. */
  readonly multiplier: number;
}
