import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const command = join(__dirname, "..", "..", "..", "cli", "main.js");
const page = readFileSync(join(__dirname, "..", "..", "..", "..", "docs", "reference", "vlan-router-plan.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "vlan-router-reference-"));
after(() => rmSync(folder, { recursive: true }));

/** A name in backquotes with a colon, then the file's text. */
const files = [...page.matchAll(/^`([\w.-]+)`:\n\n```\w+\n(.*?)^```$/gms)];
/** A command behind a prompt, then what it prints. */
const examples = [...page.matchAll(/^```console\n\$ vlan-router ([^\n]+)\n(.*?)^```$/gms)];

/** A line `…` stands for any lines. */
function assertPrinted(actual: string, expected: string): void {
  const [first = "", ...others] = expected.split(/^…\n/m);
  assert.equal(actual.slice(0, first.length), first);
  let end = first.length;
  for (const part of others) {
    const start = actual.indexOf(part, end);
    assert.notEqual(start, -1, `not printed behind the part before it:\n${part}\nbut:\n${actual.slice(end)}`);
    end = start + part.length;
  }
  assert.equal(actual.slice(end), "");
}

describe("every example of the reference page is what the command prints", () => {
  for (const [, name = "", text = ""] of files) writeFileSync(join(folder, name), text);

  test("there are files and examples", () => {
    assert.deepEqual(
      files.map(([, name]) => name),
      ["vlan-router.yaml", "n1.json", "new.yaml", "wrong.yaml"],
    );
    assert.equal(examples.length, page.match(/^\$ /gm)?.length);
    assert.ok(examples.length > 0);
  });

  for (const [, args = "", expected = ""] of examples) {
    test(`vlan-router ${args}`, () => {
      const { stdout, stderr } = spawnSync(process.execPath, [command, ...args.split(" ")], {
        cwd: folder,
        encoding: "utf8",
      });
      assertPrinted(stdout + stderr, expected);
    });
  }
});
