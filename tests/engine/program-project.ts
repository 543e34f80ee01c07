import { programFolder } from "./program-folder.js";

export const projectName = "shared-cluster";

/** Declares what the stack configuration says: a router, networks on it, or networks on the cluster's. */
const program = `const pulumi = require("@pulumi/pulumi");
const { PublicNetwork, VlanRouter } = require("pulumi-vlan-router");

const config = new pulumi.Config();
const cluster = { kubeconfig: config.requireSecret("kubeconfig") };
const routerArgs = config.getObject("router");
const router = routerArgs && new VlanRouter("router", { cluster, ...routerArgs });
for (const [name, { aliases, ...network }] of Object.entries(config.getObject("networks") ?? {})) {
  const args = { ...network, ...(router ? { router } : { cluster }) };
  const { routingTable, addressPool, nodeCount } = new PublicNetwork(name, args, { aliases });
  exports[name] = { routingTable, addressPool, nodeCount };
}
`;

export const programProject = (directory: string): Promise<string> => programFolder(directory, projectName, program);
