import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  findDaemon,
  formatIdentity,
  identify,
  isAlive,
  startDaemon,
  stopDaemon,
  waitFor,
} from "../../../../lab/processes/index.js";

const folder = mkdtempSync(join(tmpdir(), "daemon-"));
after(() => rmSync(folder, { recursive: true }));

const files = (name: string) => ({ name, log: join(folder, `${name}.log`), pidFile: join(folder, `${name}.pid`) });

test("a daemon is found by its pid file until it is stopped", async () => {
  const spec = { ...files("sleeper"), argv: ["sleep", "60"] };
  const identity = await startDaemon(spec);
  assert.deepEqual(findDaemon(spec.pidFile), identity);
  await assert.rejects(startDaemon(spec), /sleeper runs already as pid \d+/);
  await stopDaemon(spec.pidFile);
  assert.equal(isAlive(identity), false);
  assert.equal(existsSync(spec.pidFile), false);
  await stopDaemon(spec.pidFile);
});

test("the daemon below a program that only waits is the one that counts", async () => {
  const spec = { ...files("below"), argv: ["sh", "-c", "sleep 60; true"], waitingParents: 1 };
  const { pid } = await startDaemon(spec);
  // A fork keeps its pid when it becomes the program, which happens a moment after it can be found.
  const isSleep = () => readFileSync(`/proc/${pid}/cmdline`, "utf8") === "sleep\u000060\u0000";
  await waitFor("the child to become sleep", isSleep, { timeout: 5_000, interval: 5 });
  await stopDaemon(spec.pidFile);
});

test("one that ignores its stop signal is killed", async () => {
  const spec = { ...files("deaf"), argv: ["sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.05; done"] };
  const ready = () => readFileSync(spec.log, "utf8") === "deaf\n";
  const identity = await startDaemon({ ...spec, ready });
  await stopDaemon(spec.pidFile, { grace: 100 });
  assert.equal(isAlive(identity), false);
});

test("one that ends at once is an error that shows the end of its log", async () => {
  const spec = { ...files("broken"), argv: ["sh", "-c", "echo no such interface; exit 1"], ready: () => false };
  await assert.rejects(startDaemon(spec), /broken did not start: .*\n.*broken\.log:\n {2}no such interface$/);
  assert.equal(findDaemon(spec.pidFile), undefined);
});

test("one that is not ready in time does not stay", async () => {
  const spec = { ...files("slow"), argv: ["sleep", "60"], readyTimeout: 100 };
  let pid = 0;
  const ready = (daemon: { pid: number }) => {
    pid = daemon.pid;
    return false;
  };
  await assert.rejects(startDaemon({ ...spec, ready }), /waited 0\.1 s for slow to be ready, in vain/);
  assert.ok(pid > 1);
  assert.equal(identify(pid), undefined);
});

test("a stale pid file stops nobody", async () => {
  const spec = { ...files("other"), argv: ["sleep", "60"] };
  const identity = await startDaemon(spec);
  const stale = join(folder, "stale.pid");
  writeFileSync(stale, formatIdentity({ ...identity, startTime: "1" }));
  await stopDaemon(stale);
  assert.equal(isAlive(identity), true);
  await stopDaemon(spec.pidFile);
});
