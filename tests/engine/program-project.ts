import type { Stack } from "../../lab/pulumi/stack.js";
import { programFolder } from "./program-folder.js";

export const projectName = "shared-cluster";

/** Declares what the stack configuration says: a router, networks on it, or networks on the cluster's. */
const program = `const pulumi = require("@pulumi/pulumi");
const { PublicNetwork, VlanRouter } = require("pulumi-vlan-router");

const config = new pulumi.Config();
const cluster = { kubeconfig: config.requireSecret("kubeconfig") };
const routerArgs = config.getObject("router");
const router = routerArgs && new VlanRouter("router", { cluster, ...routerArgs });
const made = {};
for (const [name, { aliases, after = [], ...network }] of Object.entries(config.getObject("networks") ?? {})) {
  const args = { ...network, ...(router ? { router } : { cluster }) };
  made[name] = new PublicNetwork(name, args, { aliases, dependsOn: after.map((other) => made[other]) });
  const { routingTable, addressPool, nodeCount } = made[name];
  exports[name] = { routingTable, addressPool, nodeCount };
}
`;

export const programProject = (directory: string): Promise<string> => programFolder(directory, projectName, program);

export interface Declared {
  readonly router?: object;
  /** By logical name. */
  readonly networks?: Readonly<Record<string, object>>;
}

/** Configures a stack of the program with what it declares. */
export async function declareOn(stack: Stack, { router, networks }: Declared, kubeconfig: string): Promise<void> {
  await stack.configure(
    {
      ...(router === undefined ? {} : { [`${projectName}:router`]: router }),
      ...(networks === undefined ? {} : { [`${projectName}:networks`]: networks }),
    },
    { [`${projectName}:kubeconfig`]: kubeconfig },
  );
}
