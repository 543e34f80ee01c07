import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";

const reporter = join(repositoryRoot, "lab", "bootstrap", "count-reporter.mjs");
const folder = mkdtempSync(join(tmpdir(), "count-reporter-"));
after(() => rmSync(folder, { recursive: true }));

function count(...sources: readonly string[]): unknown {
  const files = sources.map((source, index) => {
    const file = join(folder, `${index}.test.mjs`);
    writeFileSync(file, `import { after, describe, it, test } from "node:test";\n${source}\n`);
    return file;
  });
  // A runner inside a test would take itself for one of the outer runner's files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, ["--test", `--test-reporter=${reporter}`, ...files], {
    encoding: "utf8",
    env,
  });
  return JSON.parse(stdout);
}

test("the numbers of all files are summed up once", () => {
  assert.deepEqual(
    count(
      'test("a", () => {}); test("b", () => { throw new Error("no"); });',
      'test("c", () => {}); test.skip("d", () => {});',
    ),
    { passed: 2, failed: 1, skipped: 1 },
  );
});

test("a test that ran out of time, and a file that does not load, count as failed", () => {
  assert.deepEqual(
    count(
      'test("slow", { timeout: 20 }, () => new Promise((done) => setTimeout(done, 500)));',
      'throw new Error("broken file");',
    ),
    {
      passed: 0,
      failed: 2,
      skipped: 0,
    },
  );
});

test("a suite whose hook fails counts as failed; one whose test failed does not count twice", () => {
  const failing = 'describe("s", () => { it("fails", () => { throw new Error("no"); }); });';
  const hook = 'describe("s", () => { after(() => { throw new Error("no"); }); it("works", () => {}); });';
  assert.deepEqual(count(failing), { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(count(hook), { passed: 1, failed: 1, skipped: 0 });
});
