import * as pulumi from "@pulumi/pulumi";
import type { Cni, RulePriorities } from "../model/index.js";
import type { AddressPool } from "../provider/network-state/address-pool.js";
import type { NodeOutput } from "../provider/network-state/node-outputs.js";
import { networkStateProvider } from "../provider/shell.js";
import type { TolerateUnreachable } from "../provider/unreachable-nodes.js";
import type { Cluster } from "./cluster-args.js";

export interface NetworkStateArgs {
  readonly cluster: Cluster;
  readonly name: string;
  readonly owner: pulumi.Input<string>;
  readonly spec: unknown;
  readonly podNetworks?: readonly string[];
  readonly cni?: Cni;
  readonly timeoutSeconds: number;
  readonly tolerateUnreachable?: TolerateUnreachable;
  readonly adopt?: boolean;
  readonly addressPool?: AddressPoolInputs;
  readonly secrets?: pulumi.Output<readonly string[] | undefined>;
}

export interface AddressPoolInputs {
  readonly name: string;
  readonly namespace: pulumi.Input<string>;
  readonly addresses?: readonly pulumi.Input<string>[];
}

/** One network in the cluster and on its nodes; `PublicNetwork` makes it. */
export class NetworkState extends pulumi.dynamic.Resource {
  declare public readonly cidr: pulumi.Output<string>;
  declare public readonly gateway: pulumi.Output<string>;
  declare public readonly capacity: pulumi.Output<number>;
  declare public readonly routingTable: pulumi.Output<number>;
  declare public readonly interfaceName: pulumi.Output<string>;
  declare public readonly gobgpPort: pulumi.Output<number | undefined>;
  declare public readonly rulePriorities: pulumi.Output<Readonly<Record<string, RulePriorities>>>;
  declare public readonly routeTarget: pulumi.Output<string | undefined>;
  declare public readonly addressPool: pulumi.Output<AddressPool | undefined>;
  declare public readonly nodes: pulumi.Output<Readonly<Record<string, NodeOutput>>>;
  declare public readonly nodeCount: pulumi.Output<number>;
  declare public readonly ready: pulumi.Output<boolean>;

  constructor(name: string, args: NetworkStateArgs, opts: pulumi.CustomResourceOptions) {
    // A property exists on the resource only when it stands here (pulumi/pulumi#5174); check and create fill them.
    const filledLater = {
      cidr: undefined,
      gateway: undefined,
      capacity: undefined,
      routingTable: undefined,
      interfaceName: undefined,
      gobgpPort: undefined,
      rulePriorities: undefined,
      routeTarget: undefined,
      nodes: undefined,
      nodeCount: undefined,
      ready: undefined,
    };
    super(
      networkStateProvider,
      name,
      { addressPool: undefined, ...args, ...filledLater },
      opts,
      "vlan-router",
      "NetworkState",
    );
  }
}
