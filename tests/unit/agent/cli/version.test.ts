import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { version } from "../../../../agent-image/agent/cli/version.js";

test("the command's version is the package's", async () => {
  const manifest = join(__dirname, "..", "..", "..", "..", "..", "agent-image", "package.json");
  assert.equal(version, (JSON.parse(await readFile(manifest, "utf8")) as { version: string }).version);
});
