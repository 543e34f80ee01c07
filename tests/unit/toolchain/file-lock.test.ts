import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { withFileLock } from "../../../lab/toolchain/file-lock.js";

const folder = mkdtempSync(join(tmpdir(), "file-lock-"));
after(() => rmSync(folder, { recursive: true }));

const lockModule = require.resolve("../../../lab/toolchain/file-lock.js");
const ignore: () => void = () => undefined;

test("the second one waits, is told so, and gets its turn", async () => {
  const file = join(folder, "turns");
  const events: string[] = [];
  let stopFirst = ignore;
  const secondWaits = new Promise<void>((resolve) => {
    stopFirst = () => void resolve();
  });
  const first = withFileLock(file, ignore, async () => {
    events.push("first begins");
    await secondWaits;
    events.push("first ends");
  });
  while (events.length === 0) await setTimeout(5);
  const second = withFileLock(file, stopFirst, async () => {
    events.push("second begins");
  });
  await Promise.all([first, second]);
  assert.deepEqual(events, ["first begins", "first ends", "second begins"]);
});

test("the lock is free again after work that failed", async () => {
  const file = join(folder, "failed");
  const failing = withFileLock(file, ignore, async () => {
    throw new Error("build failed");
  });
  await assert.rejects(failing, /build failed/);
  assert.equal(await withFileLock(file, ignore, async () => "free"), "free");
});

test("a killed holder leaves no lock behind", async () => {
  const file = join(folder, "killed");
  const program = `require(${JSON.stringify(lockModule)}).withFileLock(${JSON.stringify(file)}, () => {}, async () => {
    console.log("held");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });`;
  const holder = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  assert.equal(await withFileLock(file, ignore, async () => "free"), "free");
});

test("a lock in a folder that is not there is an error, not a wait", async () => {
  await assert.rejects(
    withFileLock(join(folder, "no", "lock"), ignore, async () => undefined),
    /flock of .*no\/lock ended/,
  );
});
