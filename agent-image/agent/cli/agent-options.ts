export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

export interface AgentOptions {
  /** A configuration file; absent in a cluster. */
  readonly config?: string;
  readonly kubeconfig?: string;
  readonly nodeName: string;
  readonly stateDirectory: string;
  readonly statusFile: string;
  readonly sysctlRoot: string;
  readonly metallbNamespace: string;
  readonly agentNamespace: string;
  readonly podName?: string;
  readonly image: string;
  /** Hosts that a change of the configuration must not cut this node off from. */
  readonly probe: readonly TcpTarget[];
  /** Seconds. */
  readonly confirmTimeout: number;
  readonly logLevel: LogLevel;
}
