import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Configuration,
  diffPlan,
  nodeFacts as factsOf,
  interruptions,
  type NodePlan,
  type ObservedState,
  operationsOf,
  parseConfiguration,
  planNode,
  stateOf,
} from "../../../model/index.js";
import { address, nodeFacts } from "./samples.js";
import { applyOperations, ruleText } from "./simulated-kernel.js";

/** A fixed seed, so that a failure is the same for everybody. */
const runs = { numRuns: 200, seed: 228 } as const;

const underlay = { links: [...nodeFacts().links, { name: "bond1", kind: "bond", mtu: 1500, up: true }] };
const plannedFacts = fc.record({
  rpFilterAll: fc.constantFrom(0, 1, 2),
  host: fc.constantFrom("10.0.7.11", "10.0.7.12"),
});

/** Subnets of one network: an IPv4 one, a second one with a table of its own, an IPv6 one; each in its own range by `n`. */
const routing = (n: number) =>
  fc
    .record({
      base: fc.record({
        cidr: fc.constantFrom(`203.0.${n}.0/24`, `203.0.${n}.0/25`),
        gateway: fc.constantFrom(`203.0.${n}.1`, `203.0.${n}.2`),
        returnPath: fc.constantFrom("auto", "source", "mark"),
      }),
      table: fc.option(fc.constantFrom(5000 + n, 6000 + n), { nil: undefined }),
      second: fc.boolean(),
      ipv6: fc.constantFrom("none", "fe80::1", `2001:db8:${n}::1`),
    })
    .map(({ base, table, second, ipv6 }) => [
      { ...base, ...(table === undefined ? {} : { table }) },
      ...(second
        ? [{ cidr: `198.51.${n}.64/26`, gateway: "192.0.2.1", onlink: true, table: 70_000 + n, returnPath: "source" }]
        : []),
      ...(ipv6 === "none" ? [] : [{ cidr: `2001:db8:${n}::/64`, gateway: ipv6 }]),
    ]);

const vxlan = (n: number) =>
  fc
    .record({
      port: fc.constantFrom(4789, 4790),
      mtu: fc.option(fc.constantFrom(1280, 1400), { nil: undefined }),
      bridge: fc.option(fc.boolean(), { nil: undefined }),
      txChecksum: fc.boolean(),
      way: fc.constantFrom(
        { bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] } },
        { remotes: ["10.0.7.19"] },
        { remotes: ["10.0.7.19", "10.0.7.30"] },
      ),
      routing: routing(n),
    })
    .map(({ port, mtu, bridge, txChecksum, way, routing }) => ({
      type: "vxlan",
      vxlan: {
        vni: 300 + n,
        nodeNet: "10.0.7.0/24",
        port,
        ...(mtu === undefined ? {} : { mtu }),
        ...(bridge === undefined ? {} : { bridge }),
        // Always or never: what no plan names stays as an earlier one made it.
        ...(n % 2 === 0 ? { txChecksum } : {}),
        ...way,
      },
      routing,
    }));

const vlan = (n: number) =>
  fc
    .record({
      parent: fc.constantFrom("bond0", "bond1", "missing"),
      mtu: fc.option(fc.constantFrom(1400, 1500), { nil: undefined }),
      routing: routing(n),
    })
    .map(({ parent, mtu, routing }) => ({
      type: "vlan",
      vlan: { parent, id: 300 + n, ...(mtu === undefined ? {} : { mtu }) },
      routing,
    }));

/** Up to four networks; the same place in the list may be VXLAN in one plan and VLAN in the next, with the same tables. */
const document = fc.record({
  podNetworks: fc.subarray(["10.244.0.0/16", "10.96.0.0/16", "fd00:10:244::/56"], { minLength: 1 }),
  networks: fc
    .tuple(...[1, 2, 3, 4].map((n) => fc.option(fc.oneof(vxlan(n), vlan(n)), { nil: undefined })))
    .map((networks) => networks.filter((network) => network !== undefined)),
});

interface Input {
  readonly configuration: Configuration;
  readonly rpFilterAll: number;
  /** The node's address in nodeNet. */
  readonly host: string;
}

const inputs: fc.Arbitrary<Input> = fc.tuple(document, plannedFacts).map(([value, facts]) => {
  const result = parseConfiguration(value);
  if (!result.ok) throw new Error(JSON.stringify(result.mistakes));
  return { configuration: result.value, ...facts };
});

/** As the agent plans: from what the kernel holds, so that marks stay with their tables. */
function planOn(state: ObservedState, { configuration, rpFilterAll, host }: Input): NodePlan {
  const facts = factsOf(state, "n1", {});
  return planNode(configuration, { ...facts, rpFilterAll, addresses: [address("eth0", host, 24)] });
}

/** The node without us, and somebody else's objects beside ours. */
const foreign: ObservedState = {
  links: [
    ...underlay.links,
    { name: "vxlan.calico", kind: "vxlan", mtu: 1450, up: true, vxlan: { vni: 4096, port: 4789, learning: false } },
  ],
  addresses: [address("eth0", "10.0.7.11", 24)],
  routes: [
    { family: 4, table: 301, destination: "192.0.2.0/24", protocol: 4, device: "eth0", onlink: false, plain: true },
    { family: 4, table: 301, destination: "default", protocol: 4, device: "eth0", onlink: false, plain: true },
  ],
  rules: [
    { family: 4, priority: 0, protocol: 2, action: { kind: "lookup", table: 255 }, plain: true },
    {
      family: 4,
      priority: 4016,
      protocol: 4,
      from: "203.0.2.0/24",
      action: { kind: "lookup", table: 9 },
      plain: true,
    },
  ],
  sysctls: { "net.ipv4.conf.all.rp_filter": "0" },
  forwarding: {},
};
const empty: ObservedState = { ...foreign, routes: [], rules: foreign.rules.slice(0, 1) };

function carriedOut(state: ObservedState, plan: NodePlan): ObservedState {
  return applyOperations(state, operationsOf(diffPlan(state, plan)));
}

/**
 * In one order, and without what a plan does not speak of: sysctls that another plan set, and the FDB of networks with BGP.
 */
function comparable(state: ObservedState, plan: NodePlan) {
  const sysctls = new Set(plan.networks.flatMap((network) => network.sysctls.map(({ name }) => name)));
  const learning = new Set(plan.networks.filter(({ speaker }) => speaker === undefined).map(({ link }) => link.name));
  const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(item, fieldOrder(item))).sort();
  return {
    links: sorted(state.links.map(({ vxlan: tunnel, ...link }) => ({ ...link, ...tunnel }))),
    addresses: sorted(state.addresses),
    routes: sorted(state.routes),
    rules: state.rules.map(ruleText).sort(),
    filter: state.filter,
    sysctls: sorted(Object.entries(state.sysctls).filter(([name]) => sysctls.has(name))),
    forwarding: Object.entries(state.forwarding)
      .filter(([device]) => learning.has(device))
      .map(([device, entries]) => [device, sorted(entries)])
      .sort(),
  };
}

function fieldOrder(item: object): string[] | null {
  return Array.isArray(item) ? null : [...Object.keys(item), "id"].sort();
}

describe("the difference of two plans", () => {
  test("is empty between a plan and the state that it makes", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const plan = planOn(foreign, input);
        assert.deepEqual(operationsOf(diffPlan(stateOf(plan, foreign), plan)), []);
        assert.deepEqual(interruptions(plan, plan), []);
      }),
      runs,
    );
  });

  test("carried out on the state of one gives the state of the other", () => {
    fc.assert(
      fc.property(inputs, inputs, (before, after) => {
        const state = stateOf(planOn(foreign, before), foreign);
        const plan = planOn(state, after);
        const result = carriedOut(state, plan);
        assert.deepEqual(comparable(result, plan), comparable(stateOf(plan, state), plan));
        assert.deepEqual(operationsOf(diffPlan(result, plan)), []);
      }),
      runs,
    );
  });

  test("gives in two steps what it gives in one", () => {
    fc.assert(
      fc.property(inputs, inputs, (before, after) => {
        const state = carriedOut(empty, planOn(empty, before));
        const plan = planOn(state, after);
        // What a network that cannot be planned now holds already stays, and in one step there is nothing of it yet.
        fc.pre(plan.unplanned.length === 0);
        assert.deepEqual(comparable(carriedOut(state, plan), plan), comparable(carriedOut(empty, plan), plan));
      }),
      runs,
    );
  });

  test("never touches what is not ours", () => {
    fc.assert(
      fc.property(inputs, inputs, (before, after) => {
        const state = carriedOut(foreign, planOn(foreign, before));
        const result = carriedOut(state, planOn(state, after));
        for (const link of foreign.links) assert.ok(result.links.includes(link), link.name);
        for (const route of foreign.routes) assert.ok(result.routes.includes(route), route.destination);
        for (const rule of foreign.rules) assert.ok(result.rules.includes(rule), ruleText(rule));
      }),
      runs,
    );
  });

  test("to nothing leaves nothing of ours", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const nothing: NodePlan = { networks: [], unplanned: [] };
        const result = carriedOut(stateOf(planOn(empty, input), empty), nothing);
        assert.deepEqual(comparable(result, nothing), comparable(empty, nothing));
      }),
      runs,
    );
  });

  test("that makes an interface again is said to interrupt all traffic of the network", () => {
    fc.assert(
      fc.property(inputs, inputs, (before, after) => {
        const old = planOn(empty, before);
        const state = stateOf(old, empty);
        const plan = planOn(state, after);
        const told = interruptions(old, plan).filter(({ traffic }) => traffic === "all");
        const held = new Set(old.networks.map(({ link }) => link.name));
        const diff = diffPlan(state, plan);
        for (const network of plan.networks.filter(({ link }) => held.has(link.name))) {
          const entry = diff.networks.find((candidate) => candidate.network === network.network);
          if (entry?.fresh) assert.ok(told.some((interruption) => interruption.network === network.network));
        }
      }),
      runs,
    );
  });
});
