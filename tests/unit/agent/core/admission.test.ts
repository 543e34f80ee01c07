import assert from "node:assert/strict";
import { test } from "node:test";
import type { CarriedNetwork } from "../../../../agent-image/agent/cluster/carried-networks.js";
import { admitNetworks } from "../../../../agent-image/agent/core/admission.js";

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
  const { admitted, refused } = admitNetworks([one, three], new Set());
  assert.deepEqual([names(admitted), refused.size], [["one", "three"], 0]);
});

test("of two on one segment the one that is carried already stays, else the first by name", () => {
  assert.deepEqual(names(admitNetworks([one, two, three], new Set(["two"])).admitted), ["three", "two"]);
  assert.deepEqual(names(admitNetworks([two, one, three], new Set()).admitted), ["one", "three"]);
});

test("the refused one names the reason and the other network", () => {
  const [condition] = admitNetworks([one, two], new Set()).refused.get("two") ?? [];
  assert.equal(condition?.reason, "DuplicateSegment");
  assert.match(condition?.message ?? "", /^two\.vlan\.id: 220 is already one\.vlan\.id;/);
});
