import * as pulumi from "@pulumi/pulumi";
import type { Cni } from "../model/index.js";
import { agentRolloutProvider } from "../provider/shell.js";
import type { TolerateUnreachable } from "../provider/unreachable-nodes.js";
import type { Cluster } from "./cluster-args.js";

export interface AgentRolloutArgs {
  readonly cluster: Cluster;
  readonly image: pulumi.Input<string>;
  readonly podNetworks: readonly string[];
  readonly cni?: Cni;
  readonly timeoutSeconds: number;
  readonly tolerateUnreachable?: TolerateUnreachable;
}

/** The agent runs on every node; `VlanRouter` makes it. */
export class AgentRollout extends pulumi.dynamic.Resource {
  declare public readonly nodes: pulumi.Output<readonly string[]>;

  constructor(name: string, args: AgentRolloutArgs, opts: pulumi.CustomResourceOptions) {
    super(agentRolloutProvider, name, { ...args, nodes: undefined }, opts, "vlan-router", "AgentRollout");
  }
}
