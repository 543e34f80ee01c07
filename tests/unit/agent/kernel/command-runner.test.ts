import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CommandFailure, commandsWithin } from "../../../../agent-image/agent/kernel/command-runner.js";
import { waitFor } from "../../../../lab/processes/index.js";

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

// iproute2 would carry out the beginning of a command that is cut off: `route add … table 2` instead of `… table 228 protocol 118`.
test("a program has all of its input even when who started it is killed before it reads", async () => {
  const folder = await mkdtemp(join(tmpdir(), "command-runner-"));
  const [started, copy] = [join(folder, "started"), join(folder, "copy")];
  // More than a pipe or a socket holds (212,992 bytes by default), as the batch of some hundred networks is.
  const size = 1_000_000;
  try {
    const runner = JSON.stringify(require.resolve("../../../../agent-image/agent/kernel/command-runner.js"));
    const slow = JSON.stringify(["sh", "-c", `touch ${started}; sleep 0.5; cat >${copy}.new; mv ${copy}.new ${copy}`]);
    const killed = spawn(process.execPath, [
      "-e",
      `require(${runner}).systemCommands.run(${slow}, "line of ten\\n".repeat(${size / 10}).slice(0, ${size}))`,
    ]);
    await waitFor("the program to start", () => existsSync(started), { interval: 5 });
    killed.kill("SIGKILL");
    await once(killed, "exit");
    await waitFor("the program to have read", () => existsSync(copy));
    assert.equal((await readFile(copy)).length, size);
  } finally {
    await rm(folder, { recursive: true });
  }
});
