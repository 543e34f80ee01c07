import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion, versionFits } from "../../../lab/bootstrap/version.mjs";

test("parseVersion takes the first dotted number of what programs print", () => {
  const printed: readonly (readonly [string, readonly [number, number, number]])[] = [
    ["v24.22.3", [24, 22, 3]],
    ["go version go1.26.8 linux/amd64", [1, 26, 8]],
    ["go version go1.27 linux/amd64", [1, 27, 0]],
    ["Kubernetes v1.36.3\n", [1, 36, 3]],
    ["etcd Version: 3.6.16\nGit SHA: Not provided\nGo Version: go1.26.8\n", [3, 6, 16]],
    ["Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0\n", [1, 32, 4]],
  ];
  for (const [text, version] of printed) assert.deepEqual(parseVersion(text), version, text);
});

test("parseVersion finds nothing in text without a version", () => {
  assert.equal(parseVersion(""), undefined);
  assert.equal(parseVersion("devel"), undefined);
});

test("versionFits compares numbers, not text", () => {
  assert.equal(versionFits("v22.19.0", "22.19.0"), true);
  assert.equal(versionFits("v22.9.0", "22.19.0"), false);
  assert.equal(versionFits("v100.0.0", "22.19.0"), true);
  assert.equal(versionFits("v22.18.9", "22.19"), false);
});

test("versionFits excludes its upper bound", () => {
  assert.equal(versionFits("v1.36.9", "1.36.0", "1.37.0"), true);
  assert.equal(versionFits("v1.37.0", "1.36.0", "1.37.0"), false);
});

test("versionFits refuses text without a version, and a bound that is none", () => {
  assert.equal(versionFits("", "1.0.0"), false);
  assert.throws(() => versionFits("1.2.3", "latest"), /"latest" is no version/);
});
