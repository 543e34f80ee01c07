import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptyState } from "../../../model/diff/state-of.js";
import {
  type Configuration,
  checkNetworks,
  diffPlan,
  type NodeFacts,
  type ObservedState,
  operationsOf,
  parseConfiguration,
  parseNetwork,
  planChange,
  planNode,
  renderMistake,
  stateOf,
} from "../../../model/index.js";
import { configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";
import { applyOperations } from "./simulated-kernel.js";

/** The migration that the product is for: a prefix moves from a VLAN to a VXLAN. */
const cidr = "198.51.100.0/24";
const moved = { cidr, gateway: "198.51.100.1" };
const vlan = vlanNetwork();
const vxlan = vxlanNetwork({}, { ...moved, replaces: "vlan220" });

describe("what routing.replaces may say", () => {
  const cases: Readonly<Record<string, readonly [networks: readonly unknown[], mistakes: readonly string[]]>> = {
    "a prefix in two networks, of which the later replaces the earlier": [[vlan, vxlan], []],
    "or the earlier the later": [[vxlan, vlan], []],
    "by the name that the network has": [
      [{ ...vlan, name: "rack-a" }, vxlanNetwork({}, { ...moved, replaces: "rack-a" })],
      [],
    ],
    "a prefix in two networks that say nothing": [
      [vlan, vxlanNetwork({}, moved)],
      [
        "networks[1].routing.cidr: 198.51.100.0/24 is already networks[0].routing.cidr; a prefix stands in one network; remove one, or to move it set routing.replaces: vlan220 here",
      ],
    ],
    itself: [
      [vxlanNetwork({}, { ...moved, replaces: "vxlan228" })],
      ["networks[0].routing.replaces: vxlan228 is this network itself; name the network that has had the prefix"],
    ],
    "each other": [
      [vlanNetwork({}, { replaces: "vxlan228" }), vxlan],
      [
        "networks[1].routing.replaces: vlan220 is the network that replaces this one (networks[0].routing.cidr); keep replaces in the network that takes over, remove it in the other",
      ],
    ],
    "a network with another prefix": [
      [vlan, vxlanNetwork({}, { replaces: "vlan220" })],
      ["networks[1].routing.replaces: vlan220 does not have 203.0.113.0/24; name the network that has had the prefix"],
    ],
    "a third network with the prefix": [
      [vlan, vxlan, vxlanNetwork({ vni: 229 }, { ...moved, replaces: "vlan220" })],
      [
        "networks[2].routing.cidr: 198.51.100.0/24 is already networks[0].routing.cidr; a prefix stands in one network; remove one",
      ],
    ],
    "a prefix twice in one network": [
      [vlanNetwork({}, {}, { routing: [moved, { ...moved, table: 221 }] })],
      [
        "networks[0].routing[1].cidr: 198.51.100.0/24 is already networks[0].routing[0].cidr; a prefix stands in one network; remove one",
      ],
    ],
    "no name at all": [
      [vlan, vxlanNetwork({}, { ...moved, replaces: "VLAN 220" })],
      [
        "networks[1].routing.replaces: VLAN 220 is not a DNS label; write at most 63 lower-case letters, digits and inner hyphens",
      ],
    ],
  };
  for (const [name, [networks, mistakes]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), mistakes));
  }

  test("the same prefix in another spelling", () => {
    const long = vxlanNetwork({}, { cidr: "2001:db8:0::/64", gateway: "2001:db8::1", replaces: "vlan220" });
    const short = vlanNetwork({}, { cidr: "2001:db8::/64", gateway: "2001:db8::1" });
    assert.deepEqual(mistakesOf({ ...document(short, long), podNetworks: ["fd00::/48"] }), []);
  });

  test("warnings tell which network is replaced, and when none is", () => {
    const warnings = (...networks: readonly unknown[]) =>
      parseConfiguration(document(...networks)).warnings.map(renderMistake);
    assert.deepEqual(warnings(vlan, vxlan), [
      "networks[0].routing.cidr: 198.51.100.0/24 is replaced by networks[1].routing.cidr: nodes that carry both networks route it by vxlan228; remove it here when the migration to vxlan228 is over",
    ]);
    assert.deepEqual(warnings(vxlan), [
      "networks[0].routing.replaces: vlan220 is no network here, so nothing is replaced; remove replaces when the migration is over, or correct the name",
    ]);
  });

  test("one object among many cannot know whether the network that it replaces is there", () => {
    assert.deepEqual(parseNetwork(vxlan).warnings, []);
    assert.deepEqual(checkNetworks(configurationOf(document(vxlan)).networks), []);
    assert.deepEqual(checkNetworks(configurationOf(document(vlan, vxlan)).networks), []);
  });
});

/** Who routes the prefix on a node, by its rule. */
function tablesRouting(configuration: Configuration, facts: NodeFacts): readonly number[] {
  return planNode(configuration, facts).networks.flatMap(({ rules }) =>
    rules.flatMap(({ from, to, action }) =>
      from === cidr && to === undefined && action.kind === "lookup" ? [action.table] : [],
    ),
  );
}

describe("exactly one of the two routes the prefix on each node", () => {
  const old = configurationOf(document(vlan));
  const both = configurationOf(document(vlan, vxlan));
  const done = configurationOf(document(vxlanNetwork({}, moved)));
  const noVtep = nodeFacts({ addresses: [] });
  const noParent = nodeFacts({ links: nodeFacts().links.filter(({ name }) => name !== "bond0") });

  test("the one that replaces the other, where it can be carried", () => {
    assert.deepEqual(tablesRouting(old, nodeFacts()), [220]);
    assert.deepEqual(tablesRouting(both, nodeFacts()), [228]);
    assert.deepEqual(tablesRouting(done, nodeFacts()), [228]);
    assert.deepEqual(tablesRouting(both, noParent), [228]);
  });

  test("the other one where it cannot, or is not selected", () => {
    assert.deepEqual(tablesRouting(both, noVtep), [220]);
    const selective = configurationOf(document(vlan, { ...vxlan, nodeSelector: { rack: "a" } }));
    assert.deepEqual(tablesRouting(selective, nodeFacts()), [220]);
    assert.deepEqual(tablesRouting(selective, nodeFacts({ labels: { rack: "a" } })), [228]);
  });

  test("interface and routes of the replaced network stay, announcements go, and its status says why", () => {
    const [replaced] = planNode(both, nodeFacts()).networks;
    assert.equal(replaced?.link.name, "vlan220");
    assert.deepEqual(
      replaced.routes.map(({ table, destination }) => [table, destination]),
      [
        [220, "198.51.100.0/24"],
        [220, "default"],
      ],
    );
    assert.deepEqual(replaced.filter.prefixes, [cidr]);
    assert.deepEqual([replaced.rules, replaced.announcements], [[], []]);
    assert.deepEqual(replaced.conditions, [
      {
        reason: "PrefixReplaced",
        message: "198.51.100.0/24 is routed by vxlan228 on this node, which replaces this network there",
      },
    ]);
  });

  test("other prefixes of the replaced network stay with it", () => {
    const second = { cidr: "203.0.113.0/25", gateway: "203.0.113.1", table: 221 };
    const two = configurationOf(document(vlanNetwork({}, {}, { routing: [moved, second] }), vxlan));
    const [replaced] = planNode(two, nodeFacts()).networks;
    assert.deepEqual([...new Set(replaced?.rules.flatMap(({ from }) => from ?? []))], ["203.0.113.0/25"]);
    assert.deepEqual(
      replaced?.announcements.map(({ prefix }) => prefix),
      ["203.0.113.0/25"],
    );
  });

  const kernel = (configuration: Configuration, facts = nodeFacts()): ObservedState =>
    stateOf(planNode(configuration, facts), {
      ...emptyState,
      links: [{ name: "bond0", kind: "bond", mtu: 9000, up: true }],
    });
  /** What the node's agent reads back: its own marks. */
  const factsOf = ({ rules }: ObservedState): NodeFacts =>
    nodeFacts({
      marks: rules.flatMap(({ mark, action }) =>
        mark === undefined || action.kind !== "lookup" || action.table === 254 ? [] : [{ table: action.table, mark }],
      ),
    });
  const lookups = ({ rules }: ObservedState) =>
    rules.filter(({ from, to, action }) => from === cidr && to === undefined && action.kind === "lookup").length;
  const guards = ({ rules }: ObservedState) =>
    rules.filter(({ from, action }) => from === cidr && action.kind === "unreachable").length;

  for (const [name, before, after] of [
    ["takes over", old, both],
    ["is done", both, done],
    ["gives back", both, old],
    ["takes over at once", old, done],
    ["gives back at once", done, old],
  ] as const) {
    test(`at no moment a packet from the prefix meets no rule: ${name}`, () => {
      let state = kernel(before);
      const plan = planNode(after, factsOf(state));
      for (const operation of operationsOf(diffPlan(state, plan))) {
        state = applyOperations(state, [operation]);
        assert.ok(lookups(state) >= 1 && guards(state) >= 1, JSON.stringify(operation));
      }
      assert.equal(lookups(state), 1);
      assert.deepEqual(operationsOf(diffPlan(state, plan)), []);
    });
  }

  test("open connections keep their mark when the prefix moves", () => {
    const before = kernel(old);
    const [mark] = factsOf(before).marks;
    assert.deepEqual(mark, { table: 220, mark: { value: 0x10, mask: 0x3ff0 } });
    const taken = planNode(both, factsOf(before)).networks.find(({ network }) => network === "vxlan228");
    assert.deepEqual(taken?.filter.mark, { value: 0x10, mask: 0x3ff0 });
  });

  test("a change says what moves, and what is lost", () => {
    const told = (from: Configuration, to: Configuration) =>
      planChange(from, to, nodeFacts()).interruptions.map(
        ({ network, traffic, message }) => `${network} ${traffic}: ${message}`,
      );
    assert.deepEqual(told(old, both), [
      "vxlan228 outgoing: replies from 198.51.100.0/24 leave by vxlan228 (table 228) instead of vlan220 (table 220), and connections break where that way does not lead to the gateway yet",
    ]);
    assert.deepEqual(told(both, done), ["vlan220 incoming: vlan220 is removed: what still arrives by it is lost"]);
  });
});
