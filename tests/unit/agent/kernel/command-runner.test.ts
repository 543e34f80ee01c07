import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandFailure, commandsWithin } from "../../../../agent-image/agent/kernel/command-runner.js";

test("a program that hangs is killed and named", async () => {
  const began = performance.now();
  await assert.rejects(
    commandsWithin(200).run(["sleep", "60"]),
    (error) => error instanceof CommandFailure && error.message === "sleep 60: did not end within 0.2 s and was killed",
  );
  assert.ok(performance.now() - began < 30_000);
});

test("output, input and errors pass through", async () => {
  const commands = commandsWithin(30_000);
  assert.equal(await commands.run(["cat"], "text"), "text");
  await assert.rejects(commands.run(["sh", "-c", "echo no >&2; exit 1"]), { message: "sh -c echo no >&2; exit 1: no" });
  await assert.rejects(commands.run(["no-such-program"]), {
    message: "no-such-program: no-such-program is not installed or not on PATH",
  });
});
