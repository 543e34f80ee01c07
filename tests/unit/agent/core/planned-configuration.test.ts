import assert from "node:assert/strict";
import { test } from "node:test";
import { plannedConfiguration } from "../../../../agent-image/agent/core/planned-configuration.js";
import type { NetworkSpec } from "../../../../model/index.js";

const spec: NetworkSpec = {
  type: "vlan",
  vlan: { parent: "bond0", id: 220 },
  routing: [],
  nodeSelector: { edge: "yes" },
};

test("pod networks are the union, and a nodeSelector that was obeyed before does not count again", () => {
  const one = { name: "one", uid: "1", revision: "one-1", spec, podNetworks: ["10.96.0.0/16", "10.244.0.0/16"] };
  const two = { ...one, name: "two", uid: "2", podNetworks: ["10.244.0.0/16", "fd00::/64"] };
  assert.deepEqual(plannedConfiguration([one, two]), {
    podNetworks: ["10.244.0.0/16", "10.96.0.0/16", "fd00::/64"],
    networks: [
      { name: "one", type: "vlan", vlan: { parent: "bond0", id: 220 }, routing: [] },
      { name: "two", type: "vlan", vlan: { parent: "bond0", id: 220 }, routing: [] },
    ],
  });
});
