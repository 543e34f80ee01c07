import assert from "node:assert/strict";
import { test } from "node:test";
import { affordableAt, fullBudget, refill, spend } from "../../../../agent-image/agent/announce/frame-budget.js";

test("D6: a node sends 200 frames at once, then 1000 a second, whatever it owns", () => {
  const spent = spend(fullBudget(5_000), 200);
  assert.equal(affordableAt(spent, 2), 5_002);
  assert.equal(refill(spent, 5_100).frames, 100);
  assert.equal(refill(spent, 65_000).frames, 200);
});
