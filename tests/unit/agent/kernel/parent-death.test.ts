import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { endingWithParent } from "../../../../agent-image/agent/kernel/parent-death.js";

test("a program ends with the agent where setpriv is on PATH, and is started all the same where it is not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parent-death-"));
  try {
    const path = `/nowhere:${folder}`;
    assert.deepEqual(endingWithParent(["nft", "monitor"], path), ["nft", "monitor"]);
    await writeFile(join(folder, "setpriv"), "");
    assert.deepEqual(endingWithParent(["nft", "monitor"], path), [
      ...["setpriv", "--pdeathsig", "KILL", "--"],
      ...["nft", "monitor"],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
