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

  test("a VLAN network knows no node network, and nodes are answered by its gateway", () => {
    assert.deepEqual(
      conditions(vlanNetwork(), { rpFilterAll: 1 }),
      condition(
        "net.ipv4.conf.all.rp_filter is 1 and overrides that of vlan220, where it drops packets from " +
          `10.96.0.0/16, 10.244.0.0/16; ${remedy}`,
      ),
    );
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
