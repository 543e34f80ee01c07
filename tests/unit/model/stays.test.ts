import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  nodeFacts as factsOf,
  type NodePlan,
  type ObservedLink,
  type ObservedRule,
  type ObservedState,
  operationText,
  planNode,
  stateOf,
  stateOfFacts,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const desk = stateOfFacts(nodeFacts());
/** Tables 228 and 220, marks 0x10 (220) and 0x20 (228); of a third network the parent is missing. */
const plan: NodePlan = planNode(
  configurationOf(
    document(
      vxlanNetwork({}, { cidr: "203.0.113.0/24" }, { name: "public" }),
      vlanNetwork({}, { cidr: "203.0.113.128/25", gateway: "203.0.113.129" }, { name: "half" }),
      vlanNetwork({ parent: "bond9", id: 230 }, { cidr: "192.0.2.0/24", gateway: "192.0.2.1" }, { name: "waiting" }),
    ),
  ),
  factsOf(desk, "n1", {}),
);
const standing: ObservedState = stateOf(plan, desk);

const stray: ObservedRule = {
  family: 4,
  priority: 99,
  protocol: 118,
  action: { kind: "other" },
  plain: false,
};

describe("a rule with our protocol in a form that we never write belongs to the network of", () => {
  const markOf = (network: string) =>
    plan.networks.find((planned) => planned.network === network)?.rules.find(({ mark }) => mark !== undefined)?.mark;
  const cases: readonly (readonly [what: string, rule: Partial<ObservedRule>, network: string | undefined])[] = [
    ["its table", { action: { kind: "lookup", table: 228 } }, "public"],
    ["its table, whatever its source", { action: { kind: "lookup", table: 220 }, from: "203.0.113.7/32" }, "half"],
    ["its table, though that network waits", { action: { kind: "lookup", table: 230 } }, "waiting"],
    ["its mark", { mark: markOf("public") ?? { value: 0, mask: 0 } }, "public"],
    ["its source", { from: "203.0.113.0/24" }, "public"],
    ["its source, an address", { from: "192.0.2.9/32" }, "waiting"],
    ["its source, where a longer prefix is another network's", { from: "203.0.113.129/32" }, "half"],
    ["none, where it looks up main for anything", { action: { kind: "lookup", table: 254 } }, undefined],
    ["none, for a wider source", { from: "203.0.0.0/16" }, undefined],
    ["none, for a mark of others", { mark: { value: 0x40000, mask: 0x40000 } }, undefined],
    ["none, at a priority that all share", { priority: 4016 }, undefined],
  ];
  for (const [what, change, network] of cases) {
    test(what, () => {
      const unnamed = { ...stray, ...change };
      const { stays, strayRules } = diffPlan(
        { ...standing, rules: [...standing.rules, unnamed, { ...unnamed, words: "prohibit" }] },
        plan,
      );
      assert.deepEqual(
        stays.map((stay) => [stay.reason, stay.network]),
        [["UnknownRule", network]],
      );
      assert.deepEqual(
        strayRules.map((removal) => [operationText(removal.operation), removal.network]),
        [[`ip -4 rule del priority ${unnamed.priority} protocol 118 prohibit`, network]],
      );
    });
  }
});

describe("a bridge of ours with ports of others belongs to the network of", () => {
  const bridge: ObservedLink = { name: "br228", kind: "bridge", group: 118_118_118, mtu: 1500, up: true };
  const port: ObservedLink = { name: "tap0", kind: "tun", mtu: 1500, up: true, master: "br228" };
  const ownerOf = (change: Partial<ObservedLink>) =>
    diffPlan({ ...standing, links: [...standing.links, { ...bridge, ...change }, port] }, plan).stays.map(
      ({ reason, network }) => [reason, network],
    );

  test("its alias, also of one that is gone", () => {
    assert.deepEqual(ownerOf({ alias: "vlan-router:old" }), [["BridgeInUse", "old"]]);
    assert.deepEqual(ownerOf({ alias: "vlan-router:public" }), [["BridgeInUse", "public"]]);
  });

  test("its number, where somebody wrote another alias", () => {
    assert.deepEqual(ownerOf({ alias: "uplink of machines" }), [["BridgeInUse", "public"]]);
  });

  test("none, where both are nobody's", () => {
    const links = [
      { ...bridge, name: "br9" },
      { ...port, master: "br9" },
    ];
    assert.deepEqual(
      diffPlan({ ...standing, links: [...standing.links, ...links] }, plan).stays.map(({ network }) => network),
      [undefined],
    );
  });
});
