import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { createProgress, runStart } from "../../../lab/progress.js";

function recorder() {
  const lines: string[] = [];
  let time = 12_300;
  const progress = createProgress({
    write: (line) => lines.push(line),
    now: () => time,
    startedAt: 0,
    heartbeatMs: 30_000,
  });
  return {
    lines,
    progress,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test("a step says what begins, and how long it took", async () => {
  const { lines, progress, pass } = recorder();
  const result = await progress.step("building kubelet", async () => {
    pass(61_100);
    return "built";
  });
  assert.equal(result, "built");
  assert.deepEqual(lines, ["[   12.3s] building kubelet ...\n", "[   73.4s] building kubelet: done in 61.1s\n"]);
});

test("a step that fails says so and passes the error on", async () => {
  const { lines, progress, pass } = recorder();
  const failing = progress.step("building kubelet", async () => {
    pass(2_000);
    throw new Error("no space left");
  });
  await assert.rejects(failing, /no space left/);
  assert.equal(lines.at(-1), "[   14.3s] building kubelet: failed after 2.0s\n");
});

test("a long step says that it still works, and on what", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    const { lines, progress, pass } = recorder();
    await progress.step("building kubelet", async (detail) => {
      detail("k8s.io/api/core/v1");
      pass(30_000);
      mock.timers.tick(30_000);
    });
    assert.equal(lines[1], "[   42.3s] building kubelet: still working after 30.0s (k8s.io/api/core/v1)\n");
  } finally {
    mock.timers.reset();
  }
});

test("times count from the start that the first process handed on", () => {
  assert.equal(
    runStart({ VLAN_ROUTER_STARTED_AT: "1700000000000" }, () => 1_700_000_009_000),
    1_700_000_000_000,
  );
  assert.equal(
    runStart({ VLAN_ROUTER_STARTED_AT: "yesterday" }, () => 7),
    7,
  );
  assert.equal(
    runStart({}, () => 7),
    7,
  );
});
