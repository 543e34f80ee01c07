import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { run } from "../../lab/processes/index.js";
import { networkCommands, planChange } from "../../model/index.js";
import { configuration } from "./base-node.js";
import { PastedNode } from "./pasted-node.js";

const command = join(__dirname, "..", "..", "cli", "main.js");
const folder = mkdtempSync(join(tmpdir(), "vlan-router-change-"));
after(() => rmSync(folder, { recursive: true }));

const old = `podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.12] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
  - type: vxlan
    vxlan: { vni: 229, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;
/** One network changes, one goes and one comes. */
const now = `podNetworks: [10.244.0.0/16, 10.96.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vxlan
    vxlan: { vni: 228, mtu: 1400, nodeNet: 10.0.7.0/24, remotes: [10.0.7.13] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.9 }
  - type: vxlan
    vxlan: { vni: 230, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing: { cidr: "2001:db8:1::/64", gateway: "fe80::1" }
`;

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** What `vlan-router plan NOW --from OLD` prints, without the table of numbers on top. */
async function printed(...options: readonly string[]): Promise<string> {
  const args = ["plan", file("now.yaml", now), "--from", file("old.yaml", old), ...options];
  const { stdout, stderr } = await run([process.execPath, command, ...args]);
  assert.equal(stderr, "");
  return stdout.slice(stdout.indexOf("\n\n"));
}

describe("what vlan-router plan --from prints below its table, pasted where the old configuration is carried", () => {
  let node: PastedNode;
  before(async () => {
    node = await PastedNode.start();
  });
  afterEach(() => node.removeEverything());
  after(() => node?.end());

  async function change(script: string): Promise<void> {
    const plans = planChange(configuration(old), configuration(now), node.facts);
    await node.run(plans.before.networks.flatMap(networkCommands).join("\n"));
    await node.assertCarries(plans.before);
    await node.run(script);
    await node.assertCarries(plans.after);
  }

  it("gives the new plan once the operator has set what the node knows", async () => {
    const variables = "VTEP=10.0.7.5 MAC=2e:6b:40:1e:15:ba MTU=1550 MARK_228=0x10 MARK_229=0x20 MARK_230=0x30";
    await change(`${variables}\n${await printed()}`);
  });

  it("gives the new plan of a node as it stands", async () => {
    await change(await printed("--node", file("facts.json", JSON.stringify(node.facts))));
  });
});
