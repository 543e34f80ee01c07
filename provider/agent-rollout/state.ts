import type { Cni } from "../../model/index.js";
import type { CheckedCluster } from "../ask-cluster.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";
import type { LacksByNode } from "../node-lack.js";
import type { TolerateUnreachable } from "../unreachable-nodes.js";

/** What the program gives to an `AgentRollout` resource. */
export interface AgentRolloutArguments {
  readonly cluster: ClusterReference;
  /** The agent's image as the DaemonSet's pod template names it. */
  readonly image: string;
  /** As the VlanRouter object has them, to compare with what the nodes say. */
  readonly podNetworks: readonly string[];
  readonly cni?: Cni;
  readonly timeoutSeconds: number;
  /** Nodes that are not Ready and not waited for. Defaults to `true`, all of them. */
  readonly tolerateUnreachable?: TolerateUnreachable;
}

export interface AgentRolloutInputs extends AgentRolloutArguments, CheckedCluster {
  /** Always empty in a program; a refresh puts what deviates here. */
  readonly drift: LacksByNode;
}

export interface AgentRolloutOutputs extends AgentRolloutInputs {
  readonly schemaVersion: 1;
  readonly clusterUid: string;
  /** Nodes whose agent runs the wanted image and reports, sorted. */
  readonly nodes: readonly string[];
}
