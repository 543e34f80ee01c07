import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "./package-project.js";

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

/** Makes a folder with that program, which finds the package as the repository builds it. */
export async function programProject(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  await writeFile(
    join(directory, "Pulumi.yaml"),
    `name: ${projectName}\nruntime: { name: nodejs, options: { typescript: false } }\n`,
  );
  await writeFile(join(directory, "package.json"), JSON.stringify({ name: projectName, main: "index.js" }));
  await writeFile(join(directory, "index.js"), program);
  await symlink(join(repositoryRoot, "node_modules"), join(directory, "node_modules"));
  return directory;
}
