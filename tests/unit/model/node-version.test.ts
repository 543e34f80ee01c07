import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { nodeVersionProblem, oldestNode } from "../../../model/node-version.js";

const message = (version: string) =>
  `pulumi-vlan-router needs Node.js 22.19 or later, and /usr/bin/node is ${version}; ` +
  'install a newer one and let it be the first "node" of PATH, by which Pulumi starts programs and their providers';

for (const version of ["18.20.4", "20.20.2", "21.7.3", "22.18.0", "22.2.0"]) {
  test(`Node ${version} is refused with the version that is needed`, () => {
    assert.equal(nodeVersionProblem(version, "/usr/bin/node"), message(version));
  });
}

for (const version of ["22.19.0", "22.20.0", "23.0.0", "24.22.3"]) {
  test(`Node ${version} is taken`, () => {
    assert.equal(nodeVersionProblem(version, "/usr/bin/node"), undefined);
  });
}

test("the package says the same to npm", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly engines: { readonly node: string };
  };
  assert.equal(engines.node, `>=${oldestNode}`);
});

/** Makes Node say that it is an old one, before it loads anything. */
const pretend = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`;

for (const entry of ["components/index.js", "provider/runtime.js", "cli/main.js"]) {
  test(`${entry} asks before it loads anything else`, async () => {
    const file = require.resolve(`../../../${entry}`);
    const { code, stderr } = await new Promise<{ readonly code: unknown; readonly stderr: string }>((resolve) => {
      execFile(process.execPath, ["--import", pretend, file], (error, _stdout, said) =>
        resolve({ code: error?.code, stderr: said }),
      );
    });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /pulumi-vlan-router needs Node\.js 22\.19 or later, and \S+ is 20\.20\.2; install a newer one/,
    );
  });
}
