import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Rejections, rejectionsPath } from "../../../../agent-image/agent/core/rejections.js";

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-rejections-"));
});
after(() => rm(directory, { recursive: true, force: true }));

const rejected = { uid: "u1", revision: "edge-2", condition: { reason: "ChangeReverted", message: "was taken back" } };

async function opened(): Promise<{ readonly rejections: Rejections; readonly log: readonly string[] }> {
  const log: string[] = [];
  const note = (_fields: object, message: string): void => {
    log.push(message);
  };
  return { rejections: await Rejections.open(directory, { info: note, warn: note, error: note }), log };
}

test("without a file nothing was taken back; what is kept is there again", async () => {
  const { rejections, log } = await opened();
  assert.deepEqual([rejections.list(), log], [[], []]);
  await rejections.keep([rejected]);
  assert.deepEqual((await opened()).rejections.list(), [rejected]);
});

for (const [name, content] of Object.entries({
  truncated: '{"format":1,"state":[{"uid":"u1"',
  empty: "",
  "of a later format": '{"format":2,"state":[]}',
  "of another shape": '{"format":1,"state":[{"uid":"u1","revision":2}]}',
})) {
  test(`a file that is ${name} counts as none and is told`, async () => {
    await writeFile(rejectionsPath(directory), content);
    const { rejections, log } = await opened();
    assert.deepEqual(rejections.list(), []);
    assert.deepEqual(log, ["the revisions that were taken back cannot be read and count as never tried"]);
    assert.equal(await readFile(rejectionsPath(directory), "utf8"), content);
  });
}

test("what cannot be written is an error that names the file", async () => {
  await rm(rejectionsPath(directory), { force: true });
  const { rejections } = await opened();
  await mkdir(`${rejectionsPath(directory)}.new`);
  await assert.rejects(rejections.keep([rejected]), /rejections\.json cannot be written: EISDIR/);
});
