import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { childEnd, signalEntered } from "../../../../lab/processes/index.js";

/** Like `nsenter --pid`: waits for its child, and passes on its exit code but no signals. */
const entering = (program: string) => ["-c", `trap '' TERM; sh -c "${program}" & wait $!`];

test("the end of a child is told once it has ended, and also afterwards", async () => {
  const child = spawn("sh", ["-c", "exit 7"], { stdio: "ignore" });
  assert.equal(await childEnd(child), 7);
  assert.equal(await childEnd(child), 7);
});

test("an end by a signal counts as shells count", async () => {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  child.kill("SIGKILL");
  assert.equal(await childEnd(child), 137);
});

test("a program that is being entered gets its signal although it was not there yet", async () => {
  const child = spawn("sh", entering("exec sleep 60"), { stdio: "ignore" });
  await signalEntered(child, 1, "SIGKILL");
  assert.equal(await childEnd(child), 137);
});

test("a program that has ended gets no signal", async () => {
  const child = spawn("sh", entering("exit 0"), { stdio: "ignore" });
  assert.equal(await childEnd(child), 0);
  await signalEntered(child, 1, "SIGKILL");
});

test("a program that cannot be started is an error", async () => {
  await assert.rejects(childEnd(spawn("no-such-program", [])), { code: "ENOENT" });
});
