/**
 * How long the engine takes for so many networks, and how large its state is: the table of docs/reference/pulumi.md. Each
 * number of networks gets a cluster of its own. Arguments: numbers of networks, such as `1 100`. Needs root, as the tests do.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineCluster } from "./engine-cluster.js";
import { type Measured, networkCycle } from "./network-cycle.js";
import { programProject } from "./program-project.js";

async function measure(count: number, onStep: (measured: Measured) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "vlan-router-measure-"));
  const cluster = await EngineCluster.start();
  try {
    const project = await programProject(join(directory, "project"));
    await networkCycle(cluster, await cluster.stack(project, "measured"), count, onStep);
  } finally {
    await cluster.end();
    await rm(directory, { recursive: true, force: true });
  }
}

async function main(counts: readonly number[]): Promise<void> {
  if (counts.length === 0 || counts.some((count) => !Number.isInteger(count) || count < 1 || count > 250)) {
    throw new Error("give numbers of networks from 1 to 250 (each has its own 198.18.N.0/24), for example: 1 100");
  }
  for (const count of counts) {
    process.stdout.write(`\n| networks: ${count} | seconds | state, bytes |\n|---|---|---|\n`);
    await measure(count, ({ step, seconds, stateBytes }) => {
      process.stdout.write(`| ${step} | ${seconds.toFixed(1)} | ${stateBytes} |\n`);
    });
  }
}

main(process.argv.slice(2).map(Number)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
