/**
 * How fast the agent's container is at work, and what memory it takes. Needs root; makes a lab of its own with the image in it
 * and ends it.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { textTable } from "../../../cli/plan/text-table.js";
import { kubectl, loadImage } from "../../../lab/cluster/index.js";
import { agentImage } from "../../../lab/images/index.js";
import { createProgress, type Lab, labDown, labUp } from "../../../lab/index.js";
import { configureLabStack, labStack, vxlanNetwork } from "../../../lab/pulumi/lab-stack.js";
import { locateToolchain } from "../../../lab/toolchain/index.js";
import type { FabricNetwork } from "../../../lab/topology.js";
import type { AgentMemory, AgentStart } from "./agent-start.js";

const labName = "bench-image";
const node = "n1";
const networkCount = 10;
const starts = 15;
/** Milliseconds after which an agent that started is at rest. */
const rest = 60_000;

/** In the range for benchmarks (RFC 2544); the fabric does not know them, the agent carries them all the same. */
const networks: readonly FabricNetwork[] = Array.from({ length: networkCount }, (_, index) => ({
  vni: 300 + index,
  cidr: `198.18.${index}.0/24`,
  gateway: `198.18.${index}.1`,
  prefixLength: 24,
}));

async function onNode<T>(lab: Lab, ...args: readonly string[]): Promise<T> {
  const { stdout } = await lab.exec(node, [process.execPath, join(__dirname, "watch-start.js"), ...args]);
  return JSON.parse(stdout) as T;
}

async function restart(lab: Lab): Promise<AgentStart> {
  const former = await onNode<string>(lab, "pid");
  const seen = onNode<AgentStart>(lab, String(networkCount), former);
  const pods = ["--namespace=vlan-router", "pods", `--field-selector=spec.nodeName=${node}`];
  await kubectl(lab, ["delete", ...pods, "--wait=false"]);
  return seen;
}

function row(what: string, unit: string, values: readonly number[]): readonly string[] {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  return [what, unit, ...[sorted[0], median, sorted.at(-1)].map((value) => (value ?? Number.NaN).toFixed(0))];
}

async function measure(lab: Lab): Promise<readonly string[]> {
  const seen: AgentStart[] = [];
  for (let count = 0; count < starts; count += 1) {
    seen.push(await restart(lab));
    await sleep(3_000);
  }
  await sleep(rest);
  const { resident, highest } = await onNode<AgentMemory>(lab, "memory");
  return textTable(
    ["FROM THE CONTAINER'S START", "UNIT", "LEAST", "MEDIAN", "MOST"],
    [
      row(
        "first comparison with the kernel",
        "ms",
        seen.map(({ firstStatus }) => firstStatus),
      ),
      row(
        "all networks as declared",
        "ms",
        seen.map(({ networks: time }) => time),
      ),
      row(
        "all sessions Established",
        "ms",
        seen.map(({ sessions }) => sessions),
      ),
      row(
        "resident memory then",
        "MiB",
        seen.map(({ resident: memory }) => memory),
      ),
      row("resident memory after a minute", "MiB", [resident]),
      row("its highest value", "MiB", [highest]),
    ],
  );
}

async function main(): Promise<void> {
  const lab = await labUp(labName, createProgress());
  try {
    const image = await agentImage();
    await loadImage(lab, image);
    const stack = await labStack(lab, locateToolchain());
    await configureLabStack(stack, lab, { image: image.reference, networks: networks.map(vxlanNetwork) });
    const { code, stdout, stderr } = await stack.up();
    if (code !== 0) throw new Error(`pulumi up failed: ${stdout}\n${stderr}`);
    const lines = await measure(lab);
    process.stdout.write(`${networkCount} networks, ${starts} starts\n\n${lines.join("\n")}\n`);
  } finally {
    await labDown(labName);
  }
}

void main();
