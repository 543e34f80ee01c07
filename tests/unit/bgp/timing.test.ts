import assert from "node:assert/strict";
import { test } from "node:test";
import { jittered, retryDelay } from "../../../agent-image/agent/bgp/session/timing.js";

test("a session that stood is tried again at once, then after growing waits with an upper end", () => {
  const delays = (kind: "unreachable" | "refused") => [0, 1, 2, 3, 4, 5, 6, 7, 200].map((n) => retryDelay(n, kind));
  assert.deepEqual(delays("unreachable"), [0, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000]);
  assert.deepEqual(delays("refused"), [0, 1000, 2000, 4000, 8000, 16000, 32000, 32000, 32000]);
});

test("jitter takes away up to a quarter (RFC 4271 section 10)", () => {
  assert.equal(jittered(4000, 0), 3000);
  assert.equal(jittered(4000, 0.5), 3500);
  assert.ok(jittered(4000, 0.999999) < 4000);
});
