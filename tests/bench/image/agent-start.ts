/** What {@link import("./watch-start.js")} saw of an agent that started; times in milliseconds from the container's start. */
export interface AgentStart {
  /** First status: the kernel has been compared with the configuration once. */
  readonly firstStatus: number;
  /** Every network's interface is up and nothing deviates. */
  readonly networks: number;
  /** Every BGP session is Established. */
  readonly sessions: number;
  /** Resident memory then, MiB. */
  readonly resident: number;
  /** Its highest value so far, MiB. */
  readonly highest: number;
}

export interface AgentMemory {
  readonly resident: number;
  readonly highest: number;
}
