import type { Cni, NetworkSpec, RulePriorities } from "../../model/index.js";
import type { CheckedCluster } from "../ask-cluster.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";
import type { LacksByNode } from "../node-lack.js";
import type { TolerateUnreachable } from "../unreachable-nodes.js";
import type { AddressPool, AddressPoolArguments } from "./address-pool.js";
import type { NodeOutputs } from "./node-outputs.js";

/** What the program gives to a `NetworkState` resource. Any value may be Pulumi's unknown value during a preview. */
export interface NetworkStateArguments {
  readonly cluster: ClusterReference;
  /** Name of the PublicNetwork object. */
  readonly name: string;
  /** `PROJECT/STACK URN` of the component that declares the network. */
  readonly owner: string;
  /** The network in the format of the configuration file; `check` makes the normal form of it. */
  readonly spec: unknown;
  /** Pod and service networks, when the program declares the VlanRouter; else `check` takes those of the cluster's. */
  readonly podNetworks?: readonly string[];
  /** The CNI that the VlanRouter names, if it does. */
  readonly cni?: Cni;
  /** How long creation, update and deletion may take. */
  readonly timeoutSeconds: number;
  /** Nodes that are not Ready and not waited for. Defaults to `true`, all of them. */
  readonly tolerateUnreachable?: TolerateUnreachable;
  /** Whether an object that no stack owns is taken over. */
  readonly adopt?: boolean;
  /** When the program wants one; `check` fills it. */
  readonly addressPool?: AddressPoolArguments;
  /** Places of values that the program marked as secret, such as `routing[0].gateway` and `addressPool.addresses`. */
  readonly secrets?: readonly string[];
}

/** What a reviewer reads of a network in a preview, and what other stacks use. */
export interface NetworkSummary {
  /** Prefix of the first subnet, in the order of `spec.routing`. */
  readonly cidr: string;
  /** Its gateway. */
  readonly gateway: string;
  /** Addresses that customers can have, in all subnets together. Above 2^53, as in an IPv6 /64, the number is rounded. */
  readonly capacity: number;
  /** That of the segment where a subnet has it, else the least; whatever the order of the subnets. */
  readonly routingTable: number;
  readonly interfaceName: string;
  /** Only with BGP. */
  readonly gobgpPort?: number;
  /** Priorities of the policy rules by prefix. */
  readonly rulePriorities: Readonly<Record<string, RulePriorities>>;
  /** Only with BGP: the target that our routes carry. */
  readonly routeTarget?: string;
}

/** The inputs as `check` returns them, and as the state holds them. */
export interface NetworkStateInputs extends NetworkStateArguments, NetworkSummary, CheckedCluster {
  readonly spec: NetworkSpec;
  readonly addressPool?: AddressPool;
  /**
   * The network's commands on a node, where the cluster's VlanRouter gives the pod networks. Where the program declares the
   * router, the component shows them.
   */
  readonly commands?: readonly string[];
  /** Always empty in a program. A refresh puts what deviates here, so that preview shows it and an update repairs it. */
  readonly drift: LacksByNode;
}

export interface NetworkStateOutputs extends NetworkStateInputs, NodeOutputs {
  /** Version of this shape: later versions of the package read what earlier ones wrote. */
  readonly schemaVersion: 1;
  /**
   * What the program declared, when a refresh found something else in the object, which `spec` then holds: an update may take
   * back what has been shown, and no more.
   */
  readonly declared?: NetworkSpec;
  /** uid of the PublicNetwork object. */
  readonly uid: string;
  /** uid of the namespace kube-system of the cluster in which the network was made. */
  readonly clusterUid: string;
}
