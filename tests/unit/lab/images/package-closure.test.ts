import assert from "node:assert/strict";
import { test } from "node:test";
import { type PackageLock, packageClosure } from "../../../../lab/images/package-closure.js";

const everything = () => true;

/** Two versions of `ms`, one of them below `debug`, and one below the workspace. */
const lock: PackageLock = {
  packages: {
    "": {},
    agent: {},
    "agent/node_modules/ms": {},
    "node_modules/ms": {},
    "node_modules/client": { dependencies: { debug: "^4", "@types/node": "*" } },
    "node_modules/@types/node": {},
    "node_modules/debug": { dependencies: { ms: "^2" } },
    "node_modules/debug/node_modules/ms": { dependencies: { client: "*" } },
    "node_modules/native": { optionalDependencies: { "@native/linux": "1", "@native/darwin": "1" } },
    "node_modules/@native/linux": {},
    "node_modules/@native/darwin": {},
    "node_modules/plugin": {
      peerDependencies: { host: "1", luxury: "1" },
      peerDependenciesMeta: { luxury: { optional: true } },
    },
    "node_modules/host": {},
    "node_modules/unused": {},
  },
};

test("dependencies of dependencies, the nearest version of each, circles included, no type declarations", () => {
  assert.deepEqual(packageClosure(lock, ["client"], "agent", everything), [
    "node_modules/client",
    "node_modules/debug",
    "node_modules/debug/node_modules/ms",
  ]);
});

test("the program's own folder comes before the root", () => {
  assert.deepEqual(packageClosure(lock, ["ms"], "agent", everything), ["agent/node_modules/ms"]);
  assert.deepEqual(packageClosure(lock, ["ms"], "", everything), ["node_modules/ms"]);
});

test("optional packages only where npm has installed them", () => {
  const installed = (folder: string) => folder !== "node_modules/@native/darwin";
  assert.deepEqual(packageClosure(lock, ["native"], "agent", installed), [
    "node_modules/@native/linux",
    "node_modules/native",
  ]);
});

test("peers are needed too, unless they are optional", () => {
  assert.deepEqual(packageClosure(lock, ["plugin"], "", everything), ["node_modules/host", "node_modules/plugin"]);
});

test("a needed package that is missing is an error that names it and its user", () => {
  assert.throws(() => packageClosure(lock, ["nowhere"], "agent", everything), /agent needs the package nowhere/);
  const installed = (folder: string) => folder !== "node_modules/debug";
  assert.throws(() => packageClosure(lock, ["client"], "agent", installed), /node_modules\/client needs .* debug/);
});
