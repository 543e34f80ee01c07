import assert from "node:assert/strict";
import { release } from "node:os";
import { after, before, describe, it } from "node:test";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";

const yaml = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
  - type: vlan
    vlan: { parent: eth0, id: 220 }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;

/** What the kernel that runs this test says decides: with 802.1Q the same configuration must be carried whole. */
describe("a VLAN network on this kernel", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  let lacks: boolean;

  before(async () => {
    node = await startNode();
    const { code, stderr } = await node.exec(
      "n1",
      ["ip", "link", "add", "link", "eth0", "v", "type", "vlan", "id", "5"],
      {
        check: false,
      },
    );
    lacks = code !== 0 && stderr.includes("Unknown device type");
    console.log(`kernel ${release()} ${lacks ? "lacks" : "has"} 802.1Q`);
    if (!lacks) await node.ip("n1", "link del v");
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", yaml);
    agent.start();
  });
  after(async () => {
    await agent?.end();
    await node?.end();
  });

  const applied = (networks: ReadonlyMap<string, NetworkStatus>, name: string) =>
    networks.get(name)?.conditions.find(({ type }) => type === "Applied");

  it("is carried, or the node says that its kernel cannot, and what to do; the other network stands in any case", async () => {
    await agent.until(
      "both are told",
      (networks) => applied(networks, "vxlan228")?.status === "True" && applied(networks, "vlan220") !== undefined,
    );
    const networks = new Map((await agent.status())?.networks.map((network) => [network.name, network]));
    const { status, reason, message } = applied(networks, "vlan220") ?? {};
    const rules = (await node.exec("n1", ["ip", "rule"])).stdout;
    assert.match(rules, /from 203\.0\.113\.0\/24 lookup 228/);
    if (!lacks) {
      assert.deepEqual([status, networks.get("vlan220")?.interface.state], ["True", "up"]);
      return;
    }
    assert.deepEqual(
      [status, reason, message],
      [
        "False",
        "VlanNotSupported",
        "the kernel of this node has no VLAN (IEEE 802.1Q): load it with: modprobe 8021q (and name it in " +
          "/etc/modules-load.d), or boot a kernel with CONFIG_VLAN_8021Q; or keep the network off this node with nodeSelector",
      ],
    );
    assert.equal(networks.get("vlan220")?.interface.state, "missing");
    // What still has an address of the prefix may not leave through the main table.
    assert.match(rules, /^4017:\tfrom 198\.51\.100\.0\/24 unreachable proto 118$/m);
  });
});
