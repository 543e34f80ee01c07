import assert from "node:assert/strict";
import { test } from "node:test";
import type { CarriedNetwork } from "../../../../agent-image/agent/core/carried-network.js";
import { networkProbes } from "../../../../agent-image/agent/core/network-probes.js";
import type { NetworkResult } from "../../../../agent-image/agent/kernel/index.js";
import type { NodePlan } from "../../../../model/index.js";

const mac = "16:08:26:b3:ea:e1";
const network = (...routing: readonly object[]): CarriedNetwork =>
  ({ name: "edge", uid: "u1", revision: "r1", podNetworks: [], spec: { routing } }) as unknown as CarriedNetwork;
const ipv4 = { cidr: "203.0.113.0/24", gateway: "203.0.113.1" };
const planned = (device: string): NodePlan =>
  ({ networks: [{ network: "edge", link: { name: device } }], unplanned: [] }) as unknown as NodePlan;
const unplanned = { networks: [], unplanned: [{ network: "edge" }] } as unknown as NodePlan;
const done: NetworkResult = { network: "edge", isLinkNew: false, applied: [], repaired: [], errors: [], conflicts: [] };
const links = (name: string) => [{ name, mtu: 1500, up: true, mac }];
const known = (name: string, answers: boolean) => ({ kind: "known", name, answers });

test("the gateway is asked by the interface that stands, under a name that outlives segment, prefix and gateway", () => {
  const before = networkProbes([network(ipv4)], planned("vxlan228"), [done], links("vxlan228"));
  assert.deepEqual(before, [
    known("network edge", true),
    { kind: "gateway", name: "IPv4 gateway of edge", device: "vxlan228", mac, gateway: "203.0.113.1" },
  ]);
  const moved = network({ cidr: "198.51.100.0/24", gateway: "198.51.100.1" });
  assert.deepEqual(networkProbes([moved], planned("vxlan229"), [done], links("vxlan229")), [
    known("network edge", true),
    { kind: "gateway", name: "IPv4 gateway of edge", device: "vxlan229", mac, gateway: "198.51.100.1" },
  ]);
});

test("a subnet alone is asked for under the same name in whatever table it lies", () => {
  assert.deepEqual(
    networkProbes([network({ ...ipv4, table: 900 })], planned("vxlan228"), [done], links("vxlan228")).map(
      ({ name }) => name,
    ),
    ["network edge", "IPv4 gateway of edge"],
  );
});

const carries: readonly (readonly [name: string, plan: NodePlan, results: readonly NetworkResult[]])[] = [
  ["cannot be planned", unplanned, []],
  ["failed", planned("vxlan228"), [{ ...done, errors: ["ip link add: File exists"] }]],
  [
    "has something in its way",
    planned("vxlan228"),
    [{ ...done, conflicts: [{ reason: "SegmentInUse", message: "" }] }],
  ],
  ["was not applied yet", planned("vxlan228"), []],
];
for (const [name, plan, results] of carries) {
  test(`a network that ${name} is not well, and a gateway without an interface does not answer`, () => {
    assert.deepEqual(networkProbes([network(ipv4)], plan, results, []), [
      known("network edge", false),
      known("IPv4 gateway of edge", false),
    ]);
  });
}

test("further subnets of a family go by their tables", () => {
  const routing = [
    ipv4,
    { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1228 },
    { cidr: "2001:db8::/64", gateway: "2001:db8::1" },
  ];
  assert.deepEqual(
    networkProbes([network(...routing)], planned("vxlan228"), [done], links("vxlan228")).map(({ name }) => name),
    ["network edge", "IPv4 gateway of edge", "IPv4 gateway of edge in table 1228", "IPv6 gateway of edge"],
  );
});

test("a network that does not select the node is not asked for", () => {
  assert.deepEqual(networkProbes([network(ipv4)], { networks: [], unplanned: [] }, [], []), []);
});
