import * as pulumi from "@pulumi/pulumi";
import { nodeReportsProvider } from "../provider/shell.js";
import type { Cluster } from "./cluster-args.js";

export interface NodeReportsArgs {
  readonly cluster: Cluster;
  readonly owner: pulumi.Input<string>;
  readonly objectsProvider:
    | { readonly clusterIdentifier: string }
    | { readonly urn: pulumi.Input<string>; readonly id: pulumi.Input<string> };
}

/** The RouterNode objects that agents make; `VlanRouter` makes it before the agents, so that it goes after them. */
export class NodeReports extends pulumi.dynamic.Resource {
  constructor(name: string, args: NodeReportsArgs, opts: pulumi.CustomResourceOptions) {
    super(nodeReportsProvider, name, { ...args }, opts, "vlan-router", "NodeReports");
  }
}
