import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSuites, closingLine, compiledTest } from "../../../lab/bootstrap/suites.mjs";

const names = (words: readonly string[]) => chosenSuites(words).map(({ name }) => name);

test("without a name all suites run but those on request, the quick ones first", () => {
  assert.deepEqual(names(["all"]), ["unit", "kernel", "interop", "vm", "image", "engine", "cluster"]);
  assert.deepEqual(names([]), ["unit", "kernel", "interop", "vm", "image", "engine", "cluster"]);
});

test("names after `all` narrow it, in the order of the suites", () => {
  assert.deepEqual(names(["all", "kernel"]), ["kernel"]);
  assert.deepEqual(names(["all", "cluster", "unit"]), ["unit", "cluster"]);
});

test("the nightly suite runs where it is named", () => {
  assert.deepEqual(names(["nightly"]), ["nightly"]);
  assert.deepEqual(names(["all", "nightly", "unit"]), ["unit", "nightly"]);
});

test("a word that is no suite is refused with those that are", () => {
  assert.throws(
    () => chosenSuites(["all", "kernal"]),
    /no suite "kernal": choose from unit, kernel, interop, vm, image, engine, cluster, nightly/,
  );
});

test("the unit suite needs neither root nor the toolchain", () => {
  assert.deepEqual(
    chosenSuites(["unit"]).map(({ system, toolchain }) => ({ system, toolchain })),
    [{ system: false, toolchain: false }],
  );
});

test("a test is run from where the compiler puts it", () => {
  assert.equal(compiledTest("tests/unit/model/numbers.test.ts"), "dist/tests/unit/model/numbers.test.js");
});

test("the closing line sums up all suites and names skipped tests only when there are any", () => {
  const unit = { passed: 40, failed: 0, skipped: 0 };
  assert.equal(closingLine([unit, { passed: 2, failed: 1, skipped: 0 }]), "42 passed, 1 failed");
  assert.equal(closingLine([unit, { passed: 2, failed: 0, skipped: 3 }]), "42 passed, 0 failed, 3 skipped");
});
