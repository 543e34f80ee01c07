import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventInterest } from "../../../../agent-image/agent/kernel/event-interest.js";
import { type KernelMonitor, monitorKernel } from "../../../../agent-image/agent/kernel/kernel-monitor.js";
import { waitFor } from "../../../../lab/processes/index.js";

const interest: EventInterest = {
  devices: new Set(),
  tables: new Set(),
  anyInterface: false,
  forwarding: () => undefined,
};

describe("a monitor program", () => {
  let monitor: KernelMonitor | undefined;
  let events = 0;
  afterEach(() => monitor?.close());

  const start = (argv: readonly [string, ...string[]], known = true) => {
    events = 0;
    const pace = { event: () => events++, close: () => undefined };
    monitor = monitorKernel(pace, () => (known ? interest : undefined), [
      { argv, concerns: (line) => line.startsWith("ours") },
    ]);
  };
  const shell = (script: string) => ["sh", "-c", `${script}; exec sleep 60`] as const;
  /** Longer than the time after which a comparison follows the start of a program. */
  const opened = () => sleep(500);

  test("asks for a comparison once it listens, for what happened before", async () => {
    start(shell(":"));
    await opened();
    assert.equal(events, 1);
  });

  test("tells of lines that concern the plan", async () => {
    start(shell("echo other; echo ours 1; echo other; echo ours 2"));
    await opened();
    assert.equal(events, 3);
  });

  test("tells of every line while no plan is known", async () => {
    start(shell("echo other; echo other"), false);
    await opened();
    assert.equal(events, 3);
  });

  test("tells that events were lost, as iproute2 says it on standard error", async () => {
    start(shell("echo 'netlink receive error No buffer space available (105)' >&2"));
    await opened();
    assert.equal(events, 2);
  });

  test("is started again when it ends, each time later, and a comparison follows", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kernel-monitor-"));
    try {
      const times = join(folder, "times");
      start(["sh", "-c", `date +%s%N >>${times}`]);
      const starts = await waitFor("five starts", async () => {
        const lines = (await readFile(times, "utf8").catch(() => "")).trim().split("\n");
        return lines.length >= 5 && lines.map((line) => Number(line) / 1e6);
      });
      const pauses = starts.slice(1, 5).map((time, index) => time - (starts[index] ?? 0));
      // 100, 200, 400 and 800 ms, and the time that a process takes.
      for (const [index, pause] of pauses.entries()) assert.ok(pause >= 100 * 2 ** index, `${pauses}`);
      assert.ok(events >= 1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("that is not there ends nothing; what it would have told is looked for", async () => {
    start(["no-such-monitor"]);
    await waitFor("a comparison", async () => events > 0);
  });
});
