/** `npm run bench:model`: how long a configuration takes from its text to the plan of a node, and what it holds in memory. */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { textTable } from "../../../cli/plan/text-table.js";
import type { Measurement } from "./measurement.js";

const sizes = [250, 500, 1000, 2000, 4000] as const;

/** One core: V8 collects garbage and compiles on the thread that runs the program. */
const v8Options = ["--single-threaded", "--expose-gc"] as const;

function measure(networks: number): Measurement {
  const program = join(__dirname, "measure-size.js");
  const output = execFileSync(process.execPath, [...v8Options, program, String(networks)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(output) as Measurement;
}

type Column = readonly [title: string, cell: (measurement: Measurement) => string];

const time =
  (key: Exclude<keyof Measurement, "networks" | "heap">) =>
  (measurement: Measurement): string =>
    measurement[key].toFixed(1);

const size: Column = ["NETWORKS", ({ networks }) => String(networks)];
const configurationColumns: readonly Column[] = [
  size,
  ["YAML ALONE", time("yaml")],
  ["PARSE, VALIDATE", time("parse")],
  ["PLAN", time("plan")],
  ["ALL", time("whole")],
  ["ALL µs/NETWORK", ({ whole, networks }) => ((whole * 1000) / networks).toFixed(0)],
  ["HEAP KiB", ({ heap }) => (heap / 1024).toFixed(0)],
  ["KiB/NETWORK", ({ heap, networks }) => (heap / 1024 / networks).toFixed(1)],
];
const comparisonColumns: readonly Column[] = [
  size,
  ["EVERY PAIR", time("everyPair")],
  ["ALL CHECKS BETWEEN", time("check")],
  ["ADMIT", time("admit")],
  ["PLAN AGAIN", time("planAgain")],
  ["DIFF, ALL NEW", time("create")],
  ["DIFF, ALL THERE", time("compare")],
];

function print(title: string, columns: readonly Column[], measurements: readonly Measurement[]): void {
  const rows = measurements.map((measurement) => columns.map(([, cell]) => cell(measurement)));
  const head = columns.map(([name]) => name);
  process.stdout.write(`${title}\n${textTable(head, rows).join("\n")}\n\n`);
}

const measurements = sizes.map(measure);
process.stdout.write(`Node ${process.versions.node}, ${cpus()[0]?.model ?? "unknown processor"}; times in ms\n\n`);
print(
  "From the text of a file to the plan of a node. Peer: the YAML library alone.",
  configurationColumns,
  measurements,
);
print(
  "Between networks, and between plan and kernel. Peer: the overlap check of every prefix with every other, by the same IP library.",
  comparisonColumns,
  measurements,
);
