import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { identify, isAlive, parseIdentity, signal } from "../../../../lab/processes/index.js";
import { parseStat } from "../../../../lab/processes/process-identity.js";

test("the start time is found behind a name with blanks and brackets, proc(5)", () => {
  const stat =
    "8099 (a) S (b)) S 8098 8098 8098 0 -1 4194560 2551 0 0 0 4 2 0 0 20 0 4 0 112233 236482560 4321 18446744073709551615\n";
  assert.deepEqual(parseStat(8099, stat), { pid: 8099, startTime: "112233" });
});

test("a zombie is no process any more", () => {
  const stat = "8070 (nsenter) Z 1 8070 8070 0 -1 4194316 90 0 0 0 0 0 0 0 20 0 1 0 112200 0 0 18446744073709551615\n";
  assert.equal(parseStat(8070, stat), undefined);
});

for (const [text, expected] of [
  ["4711 112233\n", { pid: 4711, startTime: "112233" }],
  ["4711 112233", { pid: 4711, startTime: "112233" }],
  ["", undefined],
  ["4711\n", undefined],
  ["0 112233\n", undefined],
  ["-1 112233\n", undefined],
] as const) {
  test(`pid file ${JSON.stringify(text)}`, () => assert.deepEqual(parseIdentity(text), expected));
}

test("a pid that another process has now is neither alive nor signalled", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const current = identify(child.pid ?? 0);
  assert.ok(current);
  const former = { ...current, startTime: String(Number(current.startTime) - 1) };
  assert.equal(isAlive(former), false);
  assert.equal(signal(former, "SIGKILL"), false);
  assert.equal(isAlive(current), true);

  assert.equal(signal(current, "SIGKILL"), true);
  await once(child, "exit");
  assert.equal(isAlive(current), false);
});
