import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CommandFailure, commandsWithin } from "../../../../agent-image/agent/kernel/command-runner.js";

test("a program that hangs is named, and is dead once that is known", async () => {
  const folder = await mkdtemp(join(tmpdir(), "command-runner-"));
  const pidFile = join(folder, "pid");
  try {
    const argv = ["sh", "-c", `echo $$ >${pidFile}; trap "" TERM; while :; do read line <${pidFile}; done`];
    await assert.rejects(commandsWithin(500).run(argv), (error) => {
      assert.ok(error instanceof CommandFailure);
      assert.deepEqual(error.argv, argv);
      assert.equal(error.stderr, "did not end within 0.5 s and was killed");
      return true;
    });
    const pid = Number(await readFile(pidFile, "utf8"));
    assert.ok(pid > 1);
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("output, input and errors pass through", async () => {
  const commands = commandsWithin(30_000);
  assert.equal(await commands.run(["cat"], "text"), "text");
  await assert.rejects(commands.run(["sh", "-c", "echo no >&2; exit 1"]), { message: "sh -c echo no >&2; exit 1: no" });
  await assert.rejects(commands.run(["no-such-program"]), {
    message: "no-such-program: no-such-program is not installed or not on PATH",
  });
});
