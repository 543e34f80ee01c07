/**
 * What carrying networks and forwarding entries costs, beside iproute2 and nft used by hand. Needs root; each size is measured
 * by a process and in network namespaces of its own, ours and the peer's one after the other in the same process.
 */
import { once } from "node:events";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { textTable } from "../../../cli/plan/text-table.js";
import { TestNamespaces } from "../../support/namespace.js";
import type { Comparison, Measured, Memory } from "./measurement.js";

const forwardingSizes = [10_000, 100_000] as const;
const networkSizes = [1, 100, 500] as const;

async function measure(program: string, size: number): Promise<Measured> {
  const namespaces = await TestNamespaces.start(["n1"]);
  try {
    await namespaces.ip(
      "n1",
      "link add eth0 mtu 1600 type veth peer name cable",
      "link set eth0 up",
      "link set cable up",
      "address add 10.0.7.5/24 dev eth0",
    );
    const child = namespaces.spawn("n1", [process.execPath, join(__dirname, program), String(size)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error(`${program} has no output`);
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    if (code !== 0) throw new Error(`${program} ${size} ended with ${code}`);
    return JSON.parse(output) as Measured;
  } finally {
    await namespaces.end();
  }
}

const time = (milliseconds: number): string => milliseconds.toFixed(milliseconds < 10 ? 1 : 0);

function comparisonRow({ size, work, by, ours, peer }: Comparison): readonly string[] {
  return [String(size), work, time(ours.wall), time(ours.cpu), by, time(peer.wall), time(peer.cpu)];
}

function memoryRow({ size, beforehand, afterwards, highest }: Memory): readonly string[] {
  return [size, beforehand, afterwards, highest].map((value) => value.toFixed(0));
}

async function table(title: string, program: string, sizes: readonly number[]): Promise<void> {
  const measured: Measured[] = [];
  for (const size of sizes) measured.push(await measure(program, size));
  const rows = measured.flatMap(({ comparisons }) => comparisons.map(comparisonRow));
  const head = ["SIZE", "WORK", "OURS ms", "CPU ms", "PEER", "PEER ms", "CPU ms"];
  const memory = textTable(
    ["SIZE", "RSS MiB BEFORE", "AFTER", "HIGHEST"],
    measured.map(({ memory }) => memoryRow(memory)),
  );
  process.stdout.write(`${title}\n${textTable(head, rows).join("\n")}\n\n${memory.join("\n")}\n\n`);
}

async function main(): Promise<void> {
  process.stdout.write(
    `Linux ${release()}, Node ${process.versions.node}, ${cpus()[0]?.model ?? "unknown processor"}\n\n`,
  );
  await table("Forwarding entries of one interface", "measure-forwarding.js", forwardingSizes);
  await table("Networks of one node", "measure-networks.js", networkSizes);
}

void main();
