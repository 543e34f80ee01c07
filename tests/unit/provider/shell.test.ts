import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { agentRolloutProvider, networkStateProvider, nodeReportsProvider } from "../../../provider/shell.js";

/** Sources stay where they are: the compiled tests read the golden texts from them. */
const goldenFolder = join(process.cwd(), "tests/unit/provider/golden");

/** As `pulumi.dynamic.Resource` does it (sdk/nodejs/dynamic/index.ts). */
async function serialised(provider: object): Promise<string> {
  return (await pulumi.runtime.serializeFunction(() => provider, { allowSecrets: true })).text;
}

const providers = [
  ["network-state-provider", networkStateProvider],
  ["agent-rollout-provider", agentRolloutProvider],
  ["node-reports-provider", nodeReportsProvider],
] as const;

/** What the plugin does with the text (require-from-string): a module without a file, which resolves from the folder. */
const hydrate = `
  const { Module } = require("node:module");
  const { readFileSync } = require("node:fs");
  const provider = new Module("");
  provider.paths = Module._nodeModulePaths(process.cwd());
  provider._compile(readFileSync(0, "utf8"), "");
  const { diff, configure } = provider.exports.handler();
  const network = { name: "a", spec: { type: "vlan", vlan: { id: 220 } } };
  Promise.resolve(configure({ config: { get: () => undefined } }))
    .then(() => diff("a", network, { ...network, name: "b" }))
    .then((result) => console.log(JSON.stringify(result)));
`;

test("the hydrated text finds the package from the folder of a program that depends on it", async () => {
  const cwd = join(process.cwd(), "examples/public-networks");
  const { stdout, stderr } = spawnSync(process.execPath, ["--eval", hydrate], {
    cwd,
    input: await serialised(networkStateProvider),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.deepEqual(JSON.parse(stdout), { replaces: ["name"], deleteBeforeReplace: true });
});

for (const [name, provider] of providers) {
  test(`the text of ${name} is the one that is in every state already`, async () => {
    assert.equal(await serialised(provider), readFileSync(join(goldenFolder, `${name}.txt`), "utf8"));
  });

  test(`the text of ${name} holds no path and no version, and is small`, async () => {
    const text = await serialised(provider);
    assert.doesNotMatch(text, /node_modules|dist\/|file:|\d+\.\d+\.\d+|\r/);
    assert.ok(Buffer.byteLength(text) < 8192, `${Buffer.byteLength(text)} bytes`);
    assert.equal(text, await serialised(provider));
  });

  test(`${name} has every method that keeps state whole`, () => {
    const methods = ["configure", "check", "diff", "create", "update", "read", "delete"];
    assert.deepEqual(
      methods.filter((method) => typeof (provider as unknown as Record<string, unknown>)[method] === "function"),
      methods,
    );
  });
}
