import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../../../lab/bootstrap/repository.mjs";

const scratch = mkdtempSync(join(tmpdir(), "held-file-"));
after(() => rmSync(scratch, { recursive: true }));

const moduleUrl = pathToFileURL(join(repositoryRoot, "lab", "bootstrap", "held-file.mjs")).href;

function hold(path: string, then: string) {
  const script = `
    const { holdFile } = await import(${JSON.stringify(moduleUrl)});
    const remove = holdFile(${JSON.stringify(path)}, "text", 0o755);
    console.log("held");
    ${then}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  test(`the file goes with the process on ${signal}`, async () => {
    const path = join(scratch, signal);
    const child = hold(path, "setInterval(() => {}, 1000);");
    await once(child.stdout, "data");
    assert.equal(existsSync(path), true);
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [code, null]);
    assert.equal(existsSync(path), false);
  });
}

test("the file goes when it is released, and the process lives on", async () => {
  const path = join(scratch, "released");
  const child = hold(
    path,
    `remove(); process.exitCode = (await import("node:fs")).existsSync(${JSON.stringify(path)}) ? 1 : 0;`,
  );
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("the file goes when the process fails", async () => {
  const path = join(scratch, "failed");
  const child = hold(path, "process.exit(3);");
  assert.deepEqual(await once(child, "exit"), [3, null]);
  assert.equal(existsSync(path), false);
});
