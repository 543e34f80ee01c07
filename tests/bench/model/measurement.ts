/** What was measured with one number of networks; times in milliseconds. */
export interface Measurement {
  readonly networks: number;
  /** Peer: the YAML library alone, without any rule of ours. */
  readonly yaml: number;
  /** Parse and validate, the YAML library included. */
  readonly parse: number;
  /** Peer: the overlap check of every prefix with every other. */
  readonly everyPair: number;
  /** All checks between networks, overlaps among them. */
  readonly check: number;
  /** Plan for a node that has nothing yet. */
  readonly plan: number;
  /** Plan for the node that carries all of it already. */
  readonly planAgain: number;
  /** All of it: from the text to the plan. */
  readonly whole: number;
  /** Choose the networks that fit together, as the agent does with those of a cluster. */
  readonly admit: number;
  /** The operations on a node that has nothing yet. */
  readonly create: number;
  /** The comparison with a node that carries all of it already. */
  readonly compare: number;
  /** Bytes of the heap that configuration and plan hold. */
  readonly heap: number;
}
