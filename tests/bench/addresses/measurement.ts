/** What a measuring process prints as JSON. */
export interface Measured {
  readonly addresses: number;
  /** Milliseconds from the takeover until each address was announced once, and until every burst was over. */
  readonly first: number;
  readonly burst: number;
  /** Of the burst: the most frames in one second. */
  readonly mostFrames: number;
  /** Afterwards, while all are announced each 60 s: frames a second, and the share of a core in percent. */
  readonly steadyFrames: number;
  readonly steadyCore: number;
  /** Milliseconds of one look at who owns what, as each event costs it. */
  readonly look: number;
}
