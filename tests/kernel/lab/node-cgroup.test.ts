import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { atNodeCgroup, createNodeCgroup, removeLabCgroups } from "../../../lab/cluster/node-cgroup.js";
import { openLab } from "../../../lab/index.js";

/** Never up: only its name counts, which is that of its cgroups. */
const lab = openLab(`cgroup-test-${process.pid}`);

after(() => removeLabCgroups(lab));

const left = () =>
  readdirSync("/sys/fs/cgroup", { withFileTypes: true, recursive: true }).filter(({ name }) => name.includes(lab.name));

test("a node's first process finds itself in the lab's own cgroups, and nothing of them stays", async () => {
  await createNodeCgroup(lab, "n1");
  const [program = "", ...args] = atNodeCgroup(lab, "n1", ["sleep", "1000"]);
  const sleeper = spawn(program, args, { stdio: "ignore" });
  await once(sleeper, "spawn");
  const inNode = () => readFileSync(`/proc/${sleeper.pid}/cgroup`, "utf8").split("\n").filter(isNodes);
  const isNodes = (line: string) => line.includes(`/vlan-router-lab.${lab.name}.`) && line.endsWith("/n1");
  const deadline = Date.now() + 5000;
  while (inNode().length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(inNode().length > 0, readFileSync(`/proc/${sleeper.pid}/cgroup`, "utf8"));

  sleeper.kill("SIGKILL");
  await once(sleeper, "exit");
  await removeLabCgroups(lab);
  assert.deepEqual(left(), []);
});

test("leftovers of an earlier run are gone when the node's cgroups are made again", async () => {
  await createNodeCgroup(lab, "n2");
  const nodes = left();
  assert.ok(nodes.length > 0);
  await createNodeCgroup(lab, "n2");
  assert.equal(left().length, nodes.length);
});
