import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parseNodeFacts } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";

const agentProgram = join(__dirname, "..", "..", "agent-image", "agent", "main.js");

let node: TestNamespaces;
before(async () => {
  node = await startNode();
});
after(() => node.end());

const facts = (...argv: readonly string[]) =>
  node.exec("n1", [process.execPath, agentProgram, "facts", ...argv], { check: false });

test("a node prints its facts in the form that plan --node reads", async () => {
  const { code, stdout } = await facts("--node-name", "n1", "--label", "rack=a", "--label", "zone=");
  assert.equal(code, 0);
  const parsed = parseNodeFacts(stdout);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const { nodeName, labels, links, addresses, marks, rpFilterAll, localRulePriority } = parsed.value;
  assert.deepEqual(
    { nodeName, labels, marks, rpFilterAll, localRulePriority },
    { nodeName: "n1", labels: { rack: "a", zone: "" }, marks: [], rpFilterAll: 0, localRulePriority: 0 },
  );
  assert.deepEqual(
    links.map(({ name, mtu, up }) => ({ name, mtu, up })),
    [
      { name: "lo", mtu: 65536, up: true },
      { name: "eth0", mtu: 1600, up: true },
    ],
  );
  assert.deepEqual(
    addresses.filter(({ device, family }) => device === "eth0" && family === 4),
    [
      {
        device: "eth0",
        family: 4,
        address: "10.0.7.5",
        prefixLength: 24,
        secondary: false,
        deprecated: false,
        tentative: false,
      },
    ],
  );
});

test("a label without a value says how to write it", async () => {
  const { code, stderr } = await facts("--label", "rack");
  assert.equal(code, 2);
  assert.match(stderr, /argument 'rack' is invalid\. write KEY=VALUE/);
});
