import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { buildLanes, lanesAtOnce, runLanes } from "../../../lab/toolchain/lanes.js";
import type { Tool } from "../../../lab/toolchain/tool.js";

function tool(name: string, module?: string): Tool {
  return {
    name,
    version: "v1.0.0",
    source: {
      kind: "own-main",
      ...(module === undefined ? {} : { module: { path: module, version: "v1.0.0" } }),
      replacements: [],
      embeds: [],
    },
    variables: {},
    installed: { kind: "never", reason: "test" },
  };
}

const tools = [
  tool("etcd", "etcd"),
  tool("kubelet", "k8s"),
  tool("pause"),
  tool("kube-proxy", "k8s"),
  tool("pulumi", "pulumi"),
];

test("tools of one module share a lane, in the order of the table", () => {
  assert.deepEqual(
    buildLanes(tools).map((lane) => lane.map(({ name }) => name)),
    [["etcd"], ["kubelet", "kube-proxy"], ["pause"], ["pulumi"]],
  );
});

test("two lanes run at once from 8 GiB of free memory on", () => {
  assert.equal(lanesAtOnce(8 * 1024 ** 3), 2);
  assert.equal(lanesAtOnce(8 * 1024 ** 3 - 1), 1);
});

test("no more lanes than allowed run at once, and a lane never overlaps itself", async () => {
  const running = new Set<string>();
  const seen: string[] = [];
  let most = 0;
  await runLanes(buildLanes(tools), 2, async ({ name, source }) => {
    const lane = source.module?.path ?? name;
    assert.equal(running.has(lane), false, `${lane} overlaps itself`);
    running.add(lane);
    most = Math.max(most, running.size);
    await setImmediate();
    running.delete(lane);
    seen.push(name);
  });
  assert.equal(most, 2);
  assert.deepEqual([...seen].sort(), ["etcd", "kube-proxy", "kubelet", "pause", "pulumi"]);
});

test("after a failure running builds end and no new one starts", async () => {
  const finished: string[] = [];
  const building = runLanes(buildLanes(tools), 2, async ({ name }) => {
    if (name === "etcd") throw new Error("etcd does not build");
    await setImmediate();
    finished.push(name);
  });
  await assert.rejects(building, /etcd does not build/);
  assert.deepEqual(finished, ["kubelet"]);
});
