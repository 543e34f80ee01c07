/**
 * What taking EVPN routes costs, beside GoBGP and FRR. Needs root, FRR and the toolchain of the lab. Arguments: which of `rib`,
 * `kernel`, `moves` and `memory` to measure, all without them. The environment variable REPETITIONS says how often.
 */
import { cpus, release } from "node:os";
import { textTable } from "../../../cli/plan/text-table.js";
import { memoryOfGobgp, memoryOfNetworks } from "./measure-memory.js";
import { timesOfMoves } from "./measure-moves.js";
import { compareTables, type TableSpread } from "./measure-table.js";
import { agent, kernelReceivers, type ReceiverKind, ribReceivers, speaker } from "./receivers.js";
import type { Spread } from "./statistics.js";
import { type RouteForm, routeForms } from "./table-bytes.js";

const manyHosts = 100_000;
const fewHosts = 1000;
const moves = 1000;
const networkCounts = [1, 10, 100, 500] as const;
/** Beyond that many processes GoBGP's memory is a matter of multiplication. */
const mostGobgps = 10;
const hostsPerNetwork = 10;
const repetitions = Number(process.env.REPETITIONS ?? 5);

function print(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(`${title}\n\n${textTable(head, rows).join("\n")}\n\n`);
}

function cells({ min, median, max }: Spread, digits: number): readonly string[] {
  return [min, median, max].map((value) => value.toFixed(digits));
}

function tableRow(name: string, { complete, runs, costs }: TableSpread): readonly string[] {
  const share = `${complete} of ${runs}`;
  if (costs === undefined) return [name, share];
  const { wall, cpu, before, after, highest } = costs;
  const memory = [before, after, highest].map(({ median }) => median.toFixed(0));
  return [name, share, ...cells(wall, 0), ...cells(cpu, 2), ...memory];
}

async function tables(title: string, kinds: readonly ReceiverKind[], form: RouteForm): Promise<void> {
  const compared = await compareTables(kinds, { networks: 1, hosts: manyHosts, form }, repetitions);
  const rows = [...compared].map(([{ name }, spread]) => tableRow(name, spread));
  const times = ["MIN", "MEDIAN", "MAX"];
  print(
    `${title}, ${form}: milliseconds, seconds of processor time, median resident MiB`,
    [
      "WHO",
      "COMPLETE",
      ...times.map((word) => `${word} ms`),
      ...times.map((word) => `${word} CPU`),
      "BEFORE",
      "AFTER",
      "HIGHEST",
    ],
    rows,
  );
}

async function moveTable(): Promise<void> {
  const rows: string[][] = [];
  for (const hosts of [fewHosts, manyHosts]) {
    for (const kind of kernelReceivers) {
      const { median, p99, max } = await timesOfMoves(kind, hosts, "mac-ip", moves);
      rows.push([kind.name, String(hosts), ...[median, p99, max].map((value) => value.toFixed(2))]);
    }
  }
  print(`${moves} single moves: milliseconds`, ["WHO", "HOSTS", "P50", "P99", "MAX"], rows);
}

async function memoryTable(): Promise<void> {
  const rows: string[][] = [];
  for (const networks of networkCounts) {
    const ours = [];
    for (const kind of [speaker, agent]) ours.push(await memoryOfNetworks(kind, networks, hostsPerNetwork));
    const gobgps = networks <= mostGobgps ? (await memoryOfGobgp(networks)).toFixed(0) : "";
    rows.push([String(networks), ...ours.map((value) => value.toFixed(0)), gobgps]);
  }
  print(
    `Networks with ${hostsPerNetwork} hosts each: resident MiB`,
    ["NETWORKS", "OUR SPEAKER", "OUR AGENT", "A gobgpd v4 FOR EACH, IDLE"],
    rows,
  );
}

const sections: Readonly<Record<string, () => Promise<void>>> = {
  rib: () => tables("Into the table of routes", ribReceivers, "mac-ip"),
  kernel: async () => {
    for (const form of routeForms) await tables("Into the kernel's forwarding table", kernelReceivers, form);
  },
  moves: moveTable,
  memory: memoryTable,
};

async function main(names: readonly string[]): Promise<void> {
  const machine = `${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}`;
  process.stdout.write(`Linux ${release()}, Node ${process.versions.node}, ${machine}\n\n`);
  for (const name of names) {
    const section = sections[name];
    if (section === undefined) throw new Error(`"${name}" is none of ${Object.keys(sections).join(", ")}`);
    await section();
  }
}

const wanted = process.argv.slice(2);
void main(wanted.length === 0 ? Object.keys(sections) : wanted);
