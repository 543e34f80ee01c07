import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runStatus } from "../../../../agent-image/agent/cli/run-status.js";

let directory: string;
let statusFile: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-status-"));
  statusFile = join(directory, "status.json");
});
after(() => rm(directory, { recursive: true }));

test("ready is a status file that a pass of the loop wrote within the last 75 seconds", async () => {
  assert.equal(await runStatus({ statusFile, ready: true }), 1);
  await writeFile(statusFile, "{}");
  assert.equal(await runStatus({ statusFile, ready: true }), 0);
  const old = Date.now() / 1000 - 80;
  await utimes(statusFile, old, old);
  assert.equal(await runStatus({ statusFile, ready: true }), 1);
});
