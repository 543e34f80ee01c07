import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { admitNetworks } from "../../../../agent-image/agent/core/admission.js";
import type { CarriedNetwork } from "../../../../agent-image/agent/core/carried-network.js";

function vlan(name: string, id: number, cidr: string): CarriedNetwork {
  return {
    name,
    uid: name,
    revision: `${name}-1`,
    podNetworks: [],
    spec: {
      type: "vlan",
      vlan: { parent: "bond0", id },
      routing: [
        {
          cidr,
          gateway: cidr.replace("0/24", "1"),
          onlink: false,
          returnPath: "auto",
          arpAnnouncer: { enabled: false, interval: 60 },
        },
      ],
    },
  };
}

const one = vlan("one", 220, "203.0.113.0/24");
const two = vlan("two", 220, "198.51.100.0/24");
const three = vlan("three", 221, "192.0.2.0/24");

function names(networks: readonly CarriedNetwork[]): string[] {
  return networks.map(({ name }) => name).sort();
}

test("networks that do not clash are all admitted", () => {
  const { admitted, refused } = admitNetworks([one, three], []);
  assert.deepEqual([names(admitted), refused.size], [["one", "three"], 0]);
});

test("of two on one segment the one that is carried already stays, else the first by name", () => {
  assert.deepEqual(names(admitNetworks([one, two, three], [two]).admitted), ["three", "two"]);
  assert.deepEqual(names(admitNetworks([two, one, three], []).admitted), ["one", "three"]);
});

test("the refused one names the reason and the other network", () => {
  const [condition] = admitNetworks([one, two], []).refused.get("two") ?? [];
  assert.equal(condition?.reason, "DuplicateSegment");
  assert.match(condition?.message ?? "", /^two\.vlan\.id: 220 is already one\.vlan\.id;/);
});

test("a bad revision falls back to the one before, and the network whose number it took stays", () => {
  const bad = { ...vlan("aaa", 220, "192.0.2.0/24"), revision: "aaa-2" };
  const good = vlan("aaa", 221, "192.0.2.0/24");
  const { admitted, refused } = admitNetworks([bad, one], [good, one]);
  assert.deepEqual(admitted, [good, one]);
  assert.deepEqual(
    [...refused].map(([name, conditions]) => [name, conditions.map(({ reason }) => reason)]),
    [["aaa", ["DuplicateSegment"]]],
  );
});

test("a revision that falls back takes its number back from a new network, and two may swap theirs", () => {
  const kept = vlan("aaa", 221, "192.0.2.0/24");
  const bad = { ...vlan("aaa", 220, "192.0.2.0/24"), revision: "aaa-2" };
  const newcomer = vlan("new", 221, "100.64.0.0/24");
  assert.deepEqual(names(admitNetworks([bad, one, newcomer], [kept, one]).admitted), ["aaa", "one"]);
  const moved = [
    { ...vlan("aaa", 220, "192.0.2.0/24"), revision: "aaa-2" },
    { ...vlan("one", 221, "203.0.113.0/24"), revision: "one-2" },
  ];
  assert.deepEqual(admitNetworks(moved, [kept, one]), { admitted: moved, refused: new Map() });
});

test("all revisions that clash with what stays fall back, each with the network that it meets", () => {
  const kept = [1, 2, 3].map((number) => vlan(`n${number}`, number, `10.0.${number}.0/24`));
  const moved = kept.map((network, index) => ({
    ...vlan(network.name, 220, `10.0.${index + 1}.0/24`),
    revision: `${network.name}-2`,
  }));
  const { admitted, refused } = admitNetworks([...moved, one], [...kept, one]);
  assert.deepEqual(admitted, [...kept, one]);
  assert.deepEqual(
    [...refused].map(([name, [condition]]) => [name, condition?.message]),
    ["n1", "n2", "n3"].map((name) => [
      name,
      `${name}.vlan.id: 220 is already one.vlan.id; list both subnets under one network, the second with a routing.table of its own`,
    ]),
  );
});

/** Few ids and prefixes for many networks, so that some fit and others do not. */
const manyNetworks = fc
  .array(fc.record({ id: fc.integer({ min: 1, max: 12 }), subnet: fc.integer({ min: 0, max: 12 }) }), { maxLength: 16 })
  .map((drawn) =>
    drawn.map(({ id, subnet }, index) => vlan(`n${String(index).padStart(2, "0")}`, id, `10.0.${subnet}.0/24`)),
  );

test("new networks are admitted as if each were examined beside those before it", () => {
  fc.assert(
    fc.property(manyNetworks, (networks) => {
      const taken = new Set<string>();
      const fitting = networks.filter(({ spec }) => {
        if (spec.type !== "vlan") throw new Error("unreachable");
        const claims = [`id ${spec.vlan.id}`, `prefix ${spec.routing[0]?.cidr}`];
        if (claims.some((claim) => taken.has(claim))) return false;
        for (const claim of claims) taken.add(claim);
        return true;
      });
      const { admitted, refused } = admitNetworks(networks, []);
      assert.deepEqual(names(admitted), names(fitting));
      assert.deepEqual([...refused.keys()].sort(), names(networks.filter((network) => !fitting.includes(network))));
    }),
    { numRuns: 300, seed: 228 },
  );
});
