import assert from "node:assert/strict";
import { test } from "node:test";
import { abridged } from "../../../../agent-image/agent/core/abridged.js";

test("a hundred commands are told as they are, of more the first hundred and how many follow", () => {
  const commands = Array.from({ length: 140_000 }, (_, index) => `bridge fdb del ${index}`);
  assert.deepEqual(abridged(commands.slice(0, 100)), commands.slice(0, 100));
  assert.deepEqual(abridged(commands), [...commands.slice(0, 100), "and 139900 more commands"]);
});
