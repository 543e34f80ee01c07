import * as pulumi from "@pulumi/pulumi";
import { nodeReportsProvider } from "../provider/shell.js";
import type { Cluster } from "./cluster-args.js";

/** The RouterNode objects that agents make; `VlanRouter` makes it before the agents, so that it goes after them. */
export class NodeReports extends pulumi.dynamic.Resource {
  constructor(name: string, cluster: Cluster, opts: pulumi.CustomResourceOptions) {
    super(nodeReportsProvider, name, { cluster }, opts, "vlan-router", "NodeReports");
  }
}
