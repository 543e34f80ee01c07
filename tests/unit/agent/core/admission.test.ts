import assert from "node:assert/strict";
import { test } from "node:test";
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
