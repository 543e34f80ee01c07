/** What owning many addresses costs a node, and what it sends. Needs root; each size is a process and namespaces of its own. */
import { once } from "node:events";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { textTable } from "../../../cli/plan/text-table.js";
import { TestNamespaces } from "../../support/namespace.js";
import type { Measured } from "./measurement.js";

const sizes = [1, 100, 1000, 4000] as const;

async function measure(size: number): Promise<Measured> {
  const namespaces = await TestNamespaces.start(["n1", "segment"]);
  try {
    await namespaces.connect("n1", "public0", "segment", "public0");
    const child = namespaces.spawn("n1", [process.execPath, join(__dirname, "measure-announcer.js"), String(size)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (child.stdout === null) throw new Error("the measuring process has no output");
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    if (code !== 0) throw new Error(`measuring ${size} addresses ended with ${code}`);
    return JSON.parse(output) as Measured;
  } finally {
    await namespaces.end();
  }
}

async function main(): Promise<void> {
  const measured: Measured[] = [];
  for (const size of sizes) measured.push(await measure(size));
  const head = ["ADDRESSES", "FIRST ms", "BURST ms", "MOST FRAMES/s", "STEADY FRAMES/s", "STEADY CORE %", "LOOK ms"];
  const rows = measured.map(({ addresses, first, burst, mostFrames, steadyFrames, steadyCore, look }) => [
    String(addresses),
    first.toFixed(1),
    burst.toFixed(0),
    String(mostFrames),
    steadyFrames.toFixed(1),
    steadyCore.toFixed(2),
    look.toFixed(2),
  ]);
  const processor = cpus()[0]?.model ?? "unknown processor";
  process.stdout.write(`Linux ${release()}, Node ${process.versions.node}, ${processor}\n\n`);
  process.stdout.write(`${textTable(head, rows).join("\n")}\n`);
}

void main();
