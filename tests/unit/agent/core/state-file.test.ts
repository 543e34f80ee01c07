import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LastGood } from "../../../../agent-image/agent/core/last-good.js";
import { readState, writeState } from "../../../../agent-image/agent/core/state-file.js";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-state-"));
});
after(() => rm(directory, { recursive: true }));

test("what was written is read; nothing else stays in the directory", async () => {
  const path = join(directory, "made", "state.json");
  await writeState(path, 1, { networks: ["one"] });
  await writeState(path, 1, { networks: ["two"] });
  assert.deepEqual(await readState(path, 1), { kind: "read", state: { networks: ["two"] } });
  assert.deepEqual(await readdir(join(directory, "made")), ["state.json"]);
});

test("no file, a cut file and a file of another format are told apart", async () => {
  const path = join(directory, "state.json");
  assert.deepEqual(await readState(path, 1), { kind: "absent" });
  await writeFile(path, '{"format": 1, "state": {"netw');
  assert.equal((await readState(path, 1)).kind, "unusable");
  await writeFile(path, '{"format": 2, "state": {}}');
  assert.deepEqual(await readState(path, 1), { kind: "unusable", reason: "format 2, this agent reads 1" });
});

test("an unusable last good configuration is no configuration, and is said", async () => {
  await writeFile(join(directory, "last-good.json"), "");
  const warnings: string[] = [];
  const log = {
    info: () => undefined,
    warn: (_fields: object, message: string) => warnings.push(message),
    error: () => undefined,
  };
  const lastGood = await LastGood.open(directory, log);
  assert.equal(lastGood.carried(), undefined);
  assert.equal(warnings.length, 1);
});
