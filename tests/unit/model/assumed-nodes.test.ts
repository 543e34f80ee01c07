import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assumedNodes } from "../../../model/change/assumed-nodes.js";
import { planNode } from "../../../model/index.js";
import { configurationOf, document, vlanNetwork, vxlanNetwork } from "./samples.js";

/** `device address/length` of a node that stands for all configurations with these networks. */
function addresses(...networks: readonly unknown[]): readonly string[] {
  const [facts] = assumedNodes([configurationOf(document(...networks))]);
  return (facts?.addresses ?? []).map(({ device, address, prefixLength }) => `${device} ${address}/${prefixLength}`);
}

function other(vxlan: Readonly<Record<string, unknown>>) {
  return vxlanNetwork({ vni: 229, ...vxlan }, { cidr: "93.184.216.0/24", gateway: "93.184.216.1" });
}

describe("the address in a nodeNet", () => {
  test("is one address for all networks of it", () => {
    assert.deepEqual(addresses(vxlanNetwork(), other({})), ["eth0 10.0.7.254/24"]);
  });

  test("is nobody else's", () => {
    const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.254"] };
    const remotes = ["10.0.7.253"];
    assert.deepEqual(addresses(vxlanNetwork({ bgp }), other({ bgp: undefined, remotes })), ["eth0 10.0.7.252/24"]);
  });

  test("serves a wider nodeNet too", () => {
    assert.deepEqual(addresses(other({ nodeNet: "10.0.0.0/16" }), vxlanNetwork()), ["eth0 10.0.7.254/24"]);
  });

  test("sits on the interface that somebody names", () => {
    assert.deepEqual(addresses(vxlanNetwork(), other({ nodeInterface: "bond1" })), ["bond1 10.0.7.254/24"]);
  });

  test("of a second interface is as long as a host, so that the choice is clear where no interface is named", () => {
    const third = vxlanNetwork({ vni: 230 }, { cidr: "192.0.2.0/24", gateway: "192.0.2.1" });
    const found = addresses(vxlanNetwork({ nodeInterface: "bond2" }), other({ nodeInterface: "bond1" }), third);
    assert.deepEqual(found, ["bond2 10.0.7.254/24", "bond1 10.0.7.253/32"]);
  });

  test("is there in the smallest prefixes, and in IPv6", () => {
    assert.deepEqual(addresses(vxlanNetwork({ nodeNet: "10.0.7.8/31" })), ["eth0 10.0.7.8/31"]);
    assert.deepEqual(addresses(vxlanNetwork({ nodeNet: "10.0.7.8/32" })), ["eth0 10.0.7.8/32"]);
    const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["2001:db8:7::19"], routerId: "10.0.0.1" };
    assert.deepEqual(addresses(vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp })), [
      "eth0 2001:db8:7:0:ffff:ffff:ffff:fffe/64",
    ]);
  });
});

test("one node for each nodeSelector, the first without labels", () => {
  const configuration = configurationOf(
    document(
      vxlanNetwork({}, {}, { nodeSelector: { role: "edge", zone: "a" } }),
      other({}),
      vlanNetwork({}, {}, { nodeSelector: { zone: "a", role: "edge" } }),
    ),
  );
  assert.deepEqual(
    assumedNodes([configuration, configuration]).map(({ labels }) => labels),
    [{}, { role: "edge", zone: "a" }],
  );
});

test("plans every network that it selects as it is configured", () => {
  const networks = [
    vxlanNetwork({ nodeInterface: "bond1" }),
    other({ nodeNet: "10.0.0.0/16", mtu: 65_535 }),
    vxlanNetwork({ vni: 230, nodeNet: "10.0.8.0/24" }, { cidr: "192.0.2.0/24", gateway: "192.0.2.1" }),
    vlanNetwork({ mtu: 65_535 }),
  ];
  const configuration = configurationOf(document(...networks));
  const [facts] = assumedNodes([configuration]);
  assert.ok(facts !== undefined);
  const { networks: planned, unplanned } = planNode(configuration, facts);
  assert.deepEqual(unplanned, []);
  assert.deepEqual(
    planned.map(({ network, conditions = [] }) => [network, conditions]),
    [
      ["vlan220", []],
      ["vxlan228", []],
      ["vxlan229", []],
      ["vxlan230", []],
    ],
  );
});
