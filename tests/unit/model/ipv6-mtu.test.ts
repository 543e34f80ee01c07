import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { unknownValue } from "../../../model/configuration/unknown-value.js";
import { configurationCommands, type NodeFacts, planNode, renderRule } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const ipv4 = { cidr: "203.0.113.0/24", gateway: "203.0.113.1" };
const ipv6 = { cidr: "2001:db8:228::/64", gateway: "fe80::1", arpAnnouncer: true };
const both = { routing: [ipv4, ipv6] };

const eth0 = (mtu: number): Partial<NodeFacts> => ({ links: [{ name: "eth0", mtu, up: true }] });
const bond0 = (mtu: number): Partial<NodeFacts> => ({ links: [{ name: "bond0", kind: "bond", mtu, up: true }] });
const networkOn = (facts: Partial<NodeFacts>, network: unknown) =>
  planNode(configurationOf(document(network)), nodeFacts(facts)).networks[0];
const conditionsOn = (facts: Partial<NodeFacts>, network: unknown) => networkOn(facts, network)?.conditions;

describe("B17, B14: an MTU under 1280 in a configuration", () => {
  test("is refused beside an IPv6 subnet, which the kernel would not run", () => {
    const vlan = vlanNetwork({ mtu: 576 }, {}, { routing: { ...ipv6, cidr: "2001:db8:220::/64" } });
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 1279 }, {}, both), vlan)), [
      "networks[0].vxlan.mtu: 1279 is less than IPv6 runs on (RFC 8200 section 5), and 2001:db8:228::/64 is a subnet of " +
        "this network; write 1280 or more, or leave the IPv6 subnet out",
      "networks[1].vlan.mtu: 576 is less than IPv6 runs on (RFC 8200 section 5), and 2001:db8:220::/64 is a subnet of " +
        "this network; write 1280 or more, or leave the IPv6 subnet out",
    ]);
  });

  test("is one mistake where it is under IPv4's too, and none where one of the two is not known yet", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 100 }, {}, both))), [
      "networks[0].vxlan.mtu: 100 is out of range; write a whole number from 576 to 65535",
    ]);
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: unknownValue }, {}, both))), []);
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 576 }, { cidr: unknownValue }))), []);
  });

  test("is taken with IPv4 alone, and 1280 with both", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 576 }), vlanNetwork({ mtu: 1279 }))), []);
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 1280 }, {}, both))), []);
  });

  test("has commands without IPv6's sysctls", () => {
    const commands = (mtu: number) => {
      const { networks, podNetworks } = configurationOf(document(vxlanNetwork({ mtu })));
      const [network] = networks;
      return network === undefined ? [] : configurationCommands(network, podNetworks);
    };
    const sysctls = (mtu: number) => commands(mtu).filter((command) => command.includes("net.ipv6."));
    assert.deepEqual(sysctls(1279), []);
    assert.deepEqual(sysctls(1280), [
      "sysctl -w net.ipv6.conf.vxlan228.accept_ra=0",
      "sysctl -w net.ipv6.conf.vxlan228.autoconf=0",
    ]);
  });
});

describe("B17, B14: an MTU under 1280 that a node gives", () => {
  const below = (device: string, mtu: number, prefix: string, remedy: string) => ({
    reason: "MtuBelowIpv6",
    message:
      `${device} carries ${mtu} bytes, and the kernel runs IPv6 on 1280 or more (RFC 8200 section 5): packets from ${prefix} are ` +
      `refused on this node, while IPv4 works; ${remedy}`,
  });

  test("is a condition with the remedy, and what would be refused is not recommended", () => {
    assert.deepEqual(conditionsOn(eth0(1329), vxlanNetwork({}, {}, both)), [
      {
        reason: "MtuBelowSegment",
        message:
          "vxlan228 carries 1279 bytes, for eth0 has 1329: larger packets of a gateway that sends 1500 are lost, and TCP is " +
          "clamped to what fits; give eth0 an MTU of 1550",
      },
      below("vxlan228", 1279, "2001:db8:228::/64", "give eth0 an MTU of 1330 or more"),
    ]);
    assert.equal(
      conditionsOn(eth0(1330), vxlanNetwork({}, {}, both))?.some(({ reason }) => reason === "MtuBelowIpv6"),
      false,
    );
  });

  test("is one beside a larger one that is configured", () => {
    assert.deepEqual(conditionsOn(bond0(1200), vlanNetwork({ mtu: 1300 }, {}, { routing: ipv6 })), [
      { reason: "MtuTooLarge", message: "vlan.mtu 1300 needs 1300 on bond0, which has 1200; 1200 is used" },
      below("vlan220", 1200, "2001:db8:228::/64", "give bond0 an MTU of 1280 or more"),
    ]);
  });

  test("is one on an interface of somebody else, which is not changed", () => {
    const theirs = { name: "bond0.220", kind: "vlan", mtu: 1000, up: true, parent: "bond0", vlanId: 220 };
    const facts = { links: [{ name: "bond0", kind: "bond", mtu: 1500, up: true }, theirs] };
    assert.deepEqual(conditionsOn(facts, vlanNetwork({}, {}, { routing: ipv6 }))?.slice(1), [
      below("bond0.220", 1000, "2001:db8:228::/64", "give bond0.220 an MTU of 1280 or more"),
    ]);
  });

  test("leaves IPv4 as it is, and of IPv6 the rules, whose guard refuses, but no route, sysctl or announcement", () => {
    const planned = networkOn(eth0(1329), vxlanNetwork({}, {}, both));
    assert.deepEqual(
      planned?.routes.map(({ family, destination }) => [family, destination]),
      [
        [4, "203.0.113.0/24"],
        [4, "default"],
      ],
    );
    assert.deepEqual(planned?.rules.filter(({ family }) => family === 6).map(renderRule), [
      "ip -6 rule add priority 3900 fwmark 0x10/0x3ff0 protocol 118 lookup 228",
      "ip -6 rule add priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
      "ip -6 rule add priority 4128 from 2001:db8:228::/64 protocol 118 lookup 228",
      "ip -6 rule add priority 4129 from 2001:db8:228::/64 protocol 118 unreachable",
    ]);
    assert.deepEqual(
      planned?.sysctls.filter(({ name }) => name.startsWith("net.ipv6.")),
      [],
    );
    assert.deepEqual(
      planned?.announcements.map(({ prefix }) => prefix),
      ["203.0.113.0/24"],
    );
  });

  test("under IPv4's own is not recommended either", () => {
    assert.deepEqual(conditionsOn(eth0(625), vxlanNetwork()), [
      {
        reason: "MtuBelowSegment",
        message:
          "vxlan228 carries 575 bytes, for eth0 has 625: larger packets of a gateway that sends 1500 are lost, and TCP is " +
          "clamped to what fits; give eth0 an MTU of 1550",
      },
    ]);
    assert.match(String(conditionsOn(eth0(626), vxlanNetwork())?.[0]?.message), /, or set vxlan\.mtu to 576 where /);
  });
});
