import assert from "node:assert/strict";
import { test } from "node:test";
import { parseImageCommandLine } from "../../../../lab/cli/image-command-line.js";

test("without words: every processor, the newest packages", () => {
  const expected = { kind: "archive", architectures: ["amd64", "arm64"], debian: "newest", json: false };
  assert.deepEqual(parseImageCommandLine([]), expected);
});

test("an archive as asked for; the order of processors does not count", () => {
  const words =
    "--arch arm64 --arch amd64 --arch arm64 --output a.tar --name registry.test:5000/x/agent:1 --kept-packages --json";
  assert.deepEqual(parseImageCommandLine(words.split(" ")), {
    kind: "archive",
    architectures: ["amd64", "arm64"],
    debian: "kept",
    json: true,
    output: "a.tar",
    reference: "registry.test:5000/x/agent:1",
  });
});

test("a folder instead", () => {
  assert.deepEqual(parseImageCommandLine(["--root-filesystem", "out", "--arch", "arm64"]), {
    kind: "root",
    folder: "out",
    debian: "newest",
    architecture: "arm64",
  });
});

test("help wins", () => {
  assert.deepEqual(parseImageCommandLine(["--help", "--arch", "x"]), { kind: "help" });
});

for (const [words, message] of [
  ["--arch riscv64", /--arch "riscv64": .*amd64 and arm64/],
  ["--name Agent", /--name "Agent" .*vlan-router-agent:0\.1\.0/],
  ["--name agent", /with a tag/],
  ["--outptu x", /'--outptu'/],
  ["left over", /'left'|positional/],
  ["--root-filesystem out --output x", /leave out --output/],
  ["--root-filesystem out --arch amd64 --arch arm64", /one processor/],
] as const) {
  test(`refused: ${words}`, () => {
    assert.throws(() => parseImageCommandLine(words.split(" ")), message);
  });
}
