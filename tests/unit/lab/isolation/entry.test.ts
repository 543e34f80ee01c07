import assert from "node:assert/strict";
import { test } from "node:test";
import { enterLab, enterProcess } from "../../../../lab/isolation/index.js";

test("the lab's root namespace is entered without a network namespace's name", () => {
  assert.deepEqual(enterLab(4711, "admin", ["kubectl", "get", "nodes"]), [
    ...["nsenter", "--target", "4711", "--net", "--mount", "--pid", "--root", "--wd", "--"],
    ...["kubectl", "get", "nodes"],
  ]);
});

test("a place is entered by ip netns exec, which mounts its own /sys", () => {
  assert.deepEqual(enterLab(4711, "n1", ["ping", "-c1", "10.0.7.1"]), [
    ...["nsenter", "--target", "4711", "--net", "--mount", "--pid", "--root", "--wd", "--"],
    ...["ip", "netns", "exec", "n1", "ping", "-c1", "10.0.7.1"],
  ]);
});

test("a node that Kubernetes runs on is entered whole", () => {
  assert.deepEqual(enterProcess(815, ["ctr", "version"]), [
    "nsenter",
    "--target",
    "815",
    "--all",
    "--root",
    "--wd",
    "--",
    "ctr",
    "version",
  ]);
});
