/** Carries out commands `bridge fdb …` from standard input, one a line, and prints what came of them as JSON. */
import { text } from "node:stream/consumers";
import { NetlinkFdbWriter } from "../../agent-image/agent/kernel/index.js";
import type { Operation } from "../../model/index.js";

async function main(): Promise<void> {
  const lines = (await text(process.stdin)).trimEnd().split("\n");
  const operations = lines.map((command): Operation => ({ kind: "bridge", command }));
  process.stdout.write(JSON.stringify(await new NetlinkFdbWriter().apply(operations)));
}

if (require.main === module) void main();
