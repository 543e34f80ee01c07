import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";

const yaml = (mtu: string): string => `
podNetworks: [10.244.0.0/16]
networks:
  - name: both
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
  - name: ipv4
    type: vxlan
    vxlan: { vni: 240, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19]${mtu} }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`;

const ipv6Routes =
  "2001:db8:228::/64 dev vxlan228 proto 118 metric 1024 pref medium\n" +
  "default via fe80::1 dev vxlan228 proto 118 metric 1024 pref medium\n";

describe("B17, B14: an underlay of 1320 bytes, whose tunnels carry 1270, where the kernel runs no IPv6", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;

  const output = async (command: string): Promise<string> =>
    (await node.exec("n1", command.split(" "), { check: false })).stdout;
  const routeOf = async (family: 4 | 6, destination: string, from: string): Promise<string> => {
    const { stdout, stderr } = await node.exec("n1", ["ip", `-${family}`, "route", "get", destination, "from", from], {
      check: false,
    });
    return `${stdout}${stderr}`.trim();
  };
  /** Both networks are applied; the reasons of what else is said of each. */
  const settled = (expected: Readonly<Record<string, readonly string[]>>) =>
    agent.until(JSON.stringify(expected), (networks) =>
      Object.entries(expected).every(([name, reasons]) => {
        const conditions = networks.get(name)?.conditions ?? [];
        const others = conditions.filter(({ type }) => type !== "Applied").map(({ reason }) => reason);
        const applied = conditions.some(({ type, status }) => type === "Applied" && status === "True");
        return applied && JSON.stringify(others.sort()) === JSON.stringify(reasons);
      }),
    );

  before(async () => {
    node = await startNode();
    await node.ip("n1", "link set eth0 mtu 1320", "address add 203.0.113.20/32 dev lo");
    await node.ip("n1", "address add 2001:db8:228::20/128 dev lo", "route add ::/0 dev eth0");
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", yaml(""));
    agent.start();
    await settled({ both: ["MtuBelowIpv6", "MtuBelowSegment"], ipv4: ["MtuBelowSegment"] });
  });
  after(async () => {
    await agent?.end();
    await node?.end();
  });

  it("IPv4 works, and IPv6 is refused instead of leaving by the main table", async () => {
    assert.equal(
      await output("ip -4 route show table 228"),
      "default via 203.0.113.1 dev vxlan228 proto 118 \n203.0.113.0/24 dev vxlan228 proto 118 scope link \n",
    );
    assert.match(
      await routeOf(4, "192.0.2.9", "203.0.113.20"),
      /^192\.0\.2\.9 from 203\.0\.113\.20 via 203\.0\.113\.1 dev vxlan228 /,
    );
    assert.equal(await output("ip -6 route show table 228"), "");
    assert.match(await routeOf(6, "2001:db8:9::9", "2001:db8:228::20"), /No route to host|unreachable/);
  });

  it("what the condition says to declare is taken, and the condition goes", async () => {
    const message = (await agent.status())?.networks
      .find(({ name }) => name === "ipv4")
      ?.conditions.find(({ type }) => type === "MtuBelowSegment")?.message;
    const [, mtu] = /, or set vxlan\.mtu to (\d+) where /.exec(String(message)) ?? [];
    assert.equal(mtu, "1270");
    await agent.configure(yaml(", mtu: 1270"));
    await settled({ both: ["MtuBelowIpv6", "MtuBelowSegment"], ipv4: [] });
    assert.match(await output("ip link show dev vxlan240"), / mtu 1270 /);
  });

  it("IPv6 comes with an underlay that carries it, and goes with it, and IPv4 stays", async () => {
    const ipv4Routes = await output("ip -4 route show table 228");
    await node.ip("n1", "link set eth0 mtu 1330");
    // Its IPv6 address is on lo, and is this node's again.
    await settled({ both: ["KernelDoesNotAnswer", "MtuBelowSegment"] });
    assert.equal(await output("ip -6 route show table 228"), ipv6Routes);
    await node.ip("n1", "link set eth0 mtu 1329");
    await settled({ both: ["MtuBelowIpv6", "MtuBelowSegment"] });
    assert.equal(await output("ip -6 route show table 228"), "");
    assert.equal(await output("ip -4 route show table 228"), ipv4Routes);
  });
});
