import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startPublicSegment } from "./public-segment.js";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: "2001:db8:228::/64", gateway: "2001:db8:228::1" }
`;

describe("whether the kernel answers for an address that the node holds", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;
  const told = async (address: string): Promise<boolean> => {
    const condition = (await agent.status())?.networks[0]?.conditions.find(
      ({ type }) => type === "KernelDoesNotAnswer",
    );
    return condition?.message.includes(address) ?? false;
  };
  /** Asked by a host that knows nothing of it. */
  const answersArp = async (address: string): Promise<boolean> =>
    (await net.exec("host", ["arping", "-c", "1", "-w", "1", "-I", "public", address], { check: false })).code === 0;
  const answersNdp = async (address: string): Promise<boolean> =>
    (await net.exec("host", ["ping", "-c", "1", "-W", "1", address], { check: false })).code === 0;

  before(async () => {
    net = await startPublicSegment();
    await net.ip("host", "address add 2001:db8:228::66/64 dev public nodad");
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
    agent.start();
    await agent.until("the network is carried", (networks) => networks.get("vxlan228")?.interface.state === "up");
  });
  after(async () => {
    await agent?.end();
    await net?.end();
  });

  const holds = (...addresses: readonly string[]) =>
    agent.until("the addresses are owned", (networks) =>
      addresses.every((address) => networks.get("vxlan228")?.addresses.includes(address)),
    );

  it("IPv4 on lo: it does, and with arp_ignore=1 it does not; the condition agrees", async () => {
    await net.ip("n1", "address add 203.0.113.20/32 dev lo");
    await holds("203.0.113.20");
    assert.deepEqual([await answersArp("203.0.113.20"), await told("203.0.113.20")], [true, false]);
    await net.sysctl("n1", "net.ipv4.conf.all.arp_ignore=1");
    await net.ip("n1", "address add 203.0.113.21/32 dev lo");
    await holds("203.0.113.20", "203.0.113.21");
    assert.deepEqual([await answersArp("203.0.113.21"), await told("203.0.113.21")], [false, true]);
  });

  it("on the network's interface: it does in both families, and nothing is told", async () => {
    await net.ip(
      "n1",
      "address add 203.0.113.22/32 dev vxlan228 noprefixroute",
      "address add 2001:db8:228::22/128 dev vxlan228 noprefixroute nodad",
    );
    await holds("203.0.113.22", "2001:db8:228::22");
    assert.deepEqual([await answersArp("203.0.113.22"), await told("203.0.113.22")], [true, false]);
    assert.deepEqual([await answersNdp("2001:db8:228::22"), await told("2001:db8:228::22")], [true, false]);
  });

  it("IPv6 on lo: it does not, and that is told", async () => {
    await net.ip("n1", "address add 2001:db8:228::20/128 dev lo");
    await holds("2001:db8:228::20");
    assert.deepEqual([await answersNdp("2001:db8:228::20"), await told("2001:db8:228::20")], [false, true]);
  });
});
