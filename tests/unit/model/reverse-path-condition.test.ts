import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type NodeFacts, planNode } from "../../../model/index.js";
import { address, configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** What the kernel does in each of these cases stands in the matrix of tests/kernel/return-path.test.ts. */
describe("net.ipv4.conf.all.rp_filter", () => {
  const conditions = (network: unknown, facts: Partial<NodeFacts>) =>
    planNode(configurationOf(document(network)), nodeFacts(facts)).networks[0]?.conditions;
  const condition = (message: string) => [{ reason: "ReversePathFilter", message }];
  const remedy = "run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d";

  test("0: nothing to tell", () => {
    assert.equal(conditions(vxlanNetwork(), { rpFilterAll: 0 }), undefined);
    assert.equal(conditions(vxlanNetwork({}, { returnPath: "source" }), { rpFilterAll: 0 }), undefined);
  });

  for (const rpFilterAll of [1, 2]) {
    test(`${rpFilterAll}: nodes and pods that come by the gateway`, () => {
      assert.deepEqual(
        conditions(vxlanNetwork(), { rpFilterAll }),
        condition(
          `net.ipv4.conf.all.rp_filter is ${rpFilterAll} and overrides that of vxlan228, where it drops packets from ` +
            `10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16; ${remedy}`,
        ),
      );
    });

    test(`${rpFilterAll}: without marks also what is translated`, () => {
      assert.deepEqual(
        conditions(vxlanNetwork({}, { returnPath: "source" }), { rpFilterAll }),
        condition(
          `net.ipv4.conf.all.rp_filter is ${rpFilterAll} and overrides that of vxlan228, where it drops packets from ` +
            `10.0.7.0/24, 10.96.0.0/16, 10.244.0.0/16 and packets for 203.0.113.0/24 that are translated (DNAT); ${remedy}`,
        ),
      );
    });
  }

  const dropsOfPods = (more = "") => ({
    reason: "ReversePathFilter",
    message:
      "net.ipv4.conf.all.rp_filter is 1 and overrides that of vlan220, where it drops packets from " +
      `${more}10.96.0.0/16, 10.244.0.0/16; ${remedy}`,
  });

  test("VLAN networks alone know no node network: nodes are answered by the gateway, and do not get what is marked", () => {
    assert.deepEqual(conditions(vlanNetwork(), { rpFilterAll: 1 }), [
      dropsOfPods(),
      {
        reason: "NodeNetworkMissing",
        message:
          "under net.ipv4.conf.all.rp_filter 1 requests for 198.51.100.0/24 are marked, and those that are translated to an " +
          "address in 10.0.7.0/24, such as a hostNetwork backend of another node, go to the gateway; add the nodes' network to " +
          `podNetworks, or ${remedy}`,
      },
    ]);
  });

  test("where the node's networks are known nothing is missing", () => {
    const withNodes = { ...document(vlanNetwork()), podNetworks: ["10.244.0.0/16", "10.96.0.0/16", "10.0.0.0/16"] };
    const plan = planNode(configurationOf(withNodes), nodeFacts({ rpFilterAll: 1 }));
    assert.deepEqual(plan.networks[0]?.conditions, [dropsOfPods("10.0.0.0/16, ")]);
  });

  test("a network of pods, an address for itself, IPv6, lo and our own interface are no networks of nodes", () => {
    const others = [
      address("cni0", "10.244.1.1", 24),
      address("eth0", "192.0.2.77", 32),
      address("eth0", "fd00:10:7::5", 64),
      address("lo", "127.0.0.1", 8),
      address("vlan220", "198.51.100.9", 24),
    ];
    assert.deepEqual(conditions(vlanNetwork(), { rpFilterAll: 1, addresses: others }), [dropsOfPods()]);
  });

  test("without marks nothing is misled", () => {
    const reasons = conditions(vlanNetwork({}, { returnPath: "source" }), { rpFilterAll: 1 })?.map(
      ({ reason }) => reason,
    );
    assert.deepEqual(reasons, ["ReversePathFilter"]);
  });

  test("an IPv4 address on our interface: loose lets everything pass, strict does not", () => {
    const addresses = [...nodeFacts().addresses, address("vxlan228", "203.0.113.11", 32)];
    assert.equal(conditions(vxlanNetwork(), { rpFilterAll: 2, addresses }), undefined);
    assert.equal(conditions(vxlanNetwork(), { rpFilterAll: 1, addresses })?.length, 1);
    const ipv6 = [...nodeFacts().addresses, address("vxlan228", "fe80::228", 64)];
    assert.equal(conditions(vxlanNetwork(), { rpFilterAll: 2, addresses: ipv6 })?.length, 1);
  });

  test("IPv6 has no such check", () => {
    const routing = { cidr: "2001:db8:1::/64", gateway: "fe80::1" };
    assert.equal(conditions(vxlanNetwork({}, routing), { rpFilterAll: 1 }), undefined);
  });
});
