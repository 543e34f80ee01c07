import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  networkCommands,
  nftRuleset,
  parseConfiguration,
  planNode,
  renderMistake,
  renderRule,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** Eight addresses of the /24 that reach the nodes by a segment of their own; `vlan220` sorts before `vxlan228`. */
const inner = { cidr: "203.0.113.64/29", gateway: "203.0.113.65" };

function marksOf(networks: readonly unknown[], rpFilterAll = 0): readonly string[] {
  const plan = planNode(configurationOf(document(...networks)), nodeFacts({ rpFilterAll }));
  const lines = nftRuleset(plan.networks.map(({ filter }) => filter)).split("\n");
  return lines.filter((line) => line.includes("meta mark set")).map((line) => line.trim());
}

test("a prefix inside another network's is a warning, whatever the order in the file", () => {
  const warning =
    "lies inside 203.0.113.0/24 of networks[OUTER].routing.cidr: its addresses are routed by this network alone; keep it if that is meant";
  for (const [networks, place] of [
    [
      [vlanNetwork({}, inner), vxlanNetwork()],
      [0, 1],
    ],
    [
      [vxlanNetwork(), vlanNetwork({}, inner)],
      [1, 0],
    ],
  ] as const) {
    const result = parseConfiguration(document(...networks));
    assert.equal(result.ok, true);
    assert.deepEqual(result.warnings.map(renderMistake), [
      `networks[${place[0]}].routing.cidr: 203.0.113.64/29 ${warning.replace("OUTER", String(place[1]))}`,
    ]);
  }
});

test("by source the longer prefix is looked up first, and its guard stands before the shorter one", () => {
  const plan = planNode(configurationOf(document(vxlanNetwork(), vlanNetwork({}, inner))), nodeFacts());
  const bySource = plan.networks
    .flatMap(({ rules }) => rules)
    .filter(({ priority }) => priority >= 4000)
    .toSorted((left, right) => left.priority - right.priority);
  assert.deepEqual(bySource.map(renderRule), [
    "ip -4 rule add priority 4006 from 203.0.113.64/29 protocol 118 lookup 220",
    "ip -4 rule add priority 4007 from 203.0.113.64/29 protocol 118 unreachable",
    "ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
    "ip -4 rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
  ]);
});

describe("reply marks: the last rule that matches decides", () => {
  test("the longer prefix sets its mark last, whatever the names of the interfaces", () => {
    const expected = [
      "iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
      "iifname != vlan220 ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f or 0x10",
      "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
      "ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f or 0x10",
    ];
    assert.deepEqual(marksOf([vxlanNetwork(), vlanNetwork({}, inner)]), expected);
    assert.deepEqual(marksOf([vlanNetwork({}, inner), vxlanNetwork()]), expected);
  });

  test("the other way round, with the longer prefix in the interface that sorts last", () => {
    const outer = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
    const tunnelled = { cidr: "198.51.100.64/29", gateway: "198.51.100.65" };
    assert.deepEqual(marksOf([vlanNetwork({}, outer), vxlanNetwork({}, tunnelled)]), [
      "iifname != vlan220 ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark and 0xffffc00f or 0x10",
      "iifname != vxlan228 ct direction reply ct original ip daddr 198.51.100.64/29 meta mark set meta mark and 0xffffc00f or 0x20",
      "ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark and 0xffffc00f or 0x10",
      "ct direction reply ct original ip daddr 198.51.100.64/29 meta mark set meta mark and 0xffffc00f or 0x20",
    ]);
  });

  test("under strict rp_filter requests have the same order", () => {
    assert.deepEqual(
      marksOf([vxlanNetwork(), vlanNetwork({}, inner)], 1).filter((line) => line.includes("ct direction original")),
      [
        "iifname vxlan228 ct direction original ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
        "iifname vlan220 ct direction original ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f or 0x10",
      ],
    );
  });

  test("a prefix without marks takes the wider one's mark off again: it has its route by source", () => {
    const unmarked = { ...inner, returnPath: "source" };
    assert.deepEqual(marksOf([vxlanNetwork(), vlanNetwork({}, unmarked)]), [
      "iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10",
      "iifname != vlan220 ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f",
      "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10",
      "ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f",
    ]);
  });

  test("but touches no mark where no prefix with marks is around it", () => {
    const marked = (networks: readonly unknown[]) => marksOf(networks).filter((line) => line.endsWith("0xffffc00f"));
    assert.deepEqual(marked([vxlanNetwork(), vlanNetwork({}, { returnPath: "source" })]), []);
    assert.deepEqual(marked([vxlanNetwork({}, { returnPath: "source" }), vlanNetwork({}, inner)]), []);
  });

  test("inside one network too", () => {
    const routing = [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { ...inner, table: 1228, returnPath: "source" },
    ];
    const [network] = planNode(configurationOf(document(vxlanNetwork({}, {}, { routing }))), nodeFacts()).networks;
    assert.ok(network !== undefined);
    assert.deepEqual(
      networkCommands(network).filter((command) => command.includes("mark_output ct")),
      [
        'nft "add rule inet vlan_router mark_output ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10"',
        'nft "add rule inet vlan_router mark_output ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f"',
      ],
    );
  });

  test("a prefix that another network has taken over keeps that network's mark", () => {
    const networks = [
      vxlanNetwork({}, { cidr: "203.0.112.0/22", gateway: "203.0.112.1" }),
      vlanNetwork({ id: 300 }, inner, { name: "old" }),
      vlanNetwork({ id: 221 }, { ...inner, replaces: "old" }, { name: "new" }),
    ];
    const nested = marksOf(networks).filter((line) => line.includes("203.0.113.64/29"));
    assert.deepEqual(nested, [
      "iifname != vlan221 ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f or 0x10",
      "ct direction reply ct original ip daddr 203.0.113.64/29 meta mark set meta mark and 0xffffc00f or 0x10",
    ]);
  });
});
