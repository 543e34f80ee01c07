import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { run } from "../../lab/processes/index.js";
import { PastedNode } from "./pasted-node.js";
import type { RenderCase } from "./plan-render-case.js";
import { renderCases } from "./plan-render-cases.js";

const command = join(__dirname, "..", "..", "cli", "main.js");
const folder = mkdtempSync(join(tmpdir(), "vlan-router-plan-"));
after(() => rmSync(folder, { recursive: true }));

/** What `vlan-router plan` prints for a case, without the table of numbers on top. */
async function printed({ yaml }: RenderCase, ...options: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run([process.execPath, command, "plan", "-", ...options], { input: yaml });
  assert.equal(stderr, "");
  return stdout.slice(stdout.indexOf("\n\n"));
}

function caseOf(name: string): RenderCase {
  const found = renderCases.find((renderCase) => renderCase.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

type Chains = Readonly<Record<string, readonly string[]>>;

/** Networks are pasted one after the other; among prefixes of which none lies in another the order of marks says nothing. */
function anyOrderOfMarks(chains: Chains): Chains {
  return Object.fromEntries(
    Object.entries(chains).map(([chain, rules]) => [chain, chain.startsWith("mark_") ? rules.toSorted() : rules]),
  );
}

describe("what vlan-router plan prints below its table, pasted into a shell", () => {
  let node: PastedNode;
  before(async () => {
    node = await PastedNode.start();
  });
  afterEach(() => node.removeEverything());
  after(() => node?.end());

  /** The commands as the configuration alone gives them; the operator fills in what the node knows. */
  const values: readonly (readonly [name: string, variables: string])[] = [
    ["VXLAN with IPv4", "VTEP=10.0.7.5 MAC=16:08:26:b3:ea:e1 MTU=1550 MARK=0x10"],
    ["an IPv6 subnet beside the IPv4 one, eBGP", "VTEP=10.0.7.5 MAC=16:08:26:b3:ea:e1 MARK=0x10"],
    ["remotes instead of BGP, a gateway outside the prefix", "VTEP=10.0.7.5 MAC=16:08:26:b3:ea:e1 MTU=1550 MARK=0x10"],
    [
      "several subnets, each with its own way back",
      "VTEP=10.0.7.5 MAC=16:08:26:b3:ea:e1 MTU=1550 MARK=0x10 MARK_1228=0x20",
    ],
    ["no segment filter, return by source: nothing for nft", "VTEP=10.0.7.5 MAC=16:08:26:b3:ea:e1 MTU=1550"],
  ];
  for (const [name, variables] of values) {
    it(`gives the plan once ${variables} are set: ${name}`, async () => {
      const renderCase = caseOf(name);
      const plan = node.plan(renderCase);
      await node.run(`${variables}\n${await printed(renderCase)}`);
      await node.assertCarries(plan);
      assert.deepEqual(await node.chains(), renderCase.filter);
    });
  }

  for (const renderCase of renderCases) {
    it(`gives the plan of a node as it stands: ${renderCase.name}`, async () => {
      const plan = node.plan(renderCase);
      const facts = join(folder, "facts.json");
      writeFileSync(facts, JSON.stringify({ ...node.facts, rpFilterAll: renderCase.rpFilterAll ?? 0 }));
      await node.run(await printed(renderCase, "--node", facts));
      await node.assertCarries(plan);
      assert.deepEqual(anyOrderOfMarks(await node.chains()), anyOrderOfMarks(renderCase.filter));
    });
  }
});
