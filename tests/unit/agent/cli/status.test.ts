import assert from "node:assert/strict";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
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

test("an agent whose last pass failed is not ready, and says why", async () => {
  const failed = { type: "PassFailed", status: "True", reason: "PassFailed", message: "ip: not found" };
  const printed = mock.method(process.stderr, "write", () => true);
  try {
    await writeFile(statusFile, JSON.stringify({ conditions: [{ ...failed, type: "UnknownRule" }] }));
    assert.equal(await runStatus({ statusFile, ready: true }), 0);
    await writeFile(statusFile, JSON.stringify({ conditions: [failed] }));
    assert.equal(await runStatus({ statusFile, ready: true }), 1);
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: [text] }) => text),
      ["not ready: the last pass failed: ip: not found\n"],
    );
  } finally {
    printed.mock.restore();
  }
});

test("C12: status prints what the agent wrote, the UDP port of the tunnel included", async () => {
  const status =
    '{"networks":[{"name":"vxlan228","interface":{"name":"vxlan228","state":"up","local":"10.0.7.11","port":4789}}]}';
  await writeFile(statusFile, status);
  const printed = mock.method(process.stdout, "write", () => true);
  try {
    assert.equal(await runStatus({ statusFile, ready: false }), 0);
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: [text] }) => text),
      [status],
    );
  } finally {
    printed.mock.restore();
  }
});
