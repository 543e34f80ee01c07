import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationDifferences } from "../../../model/change/configuration-differences.js";
import { configurationOf, document, vlanNetwork, vxlanNetwork } from "./samples.js";

type Json = Readonly<Record<string, unknown>>;

function differences(old: Json, now: Json): unknown {
  return configurationDifferences(configurationOf(old), configurationOf(now));
}

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };
const subnet = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
const more = { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1220 };

const cases: Readonly<Record<string, readonly [old: Json, now: Json, differences: unknown]>> = {
  "the same": [document(vxlanNetwork(), vlanNetwork()), document(vxlanNetwork(), vlanNetwork()), []],
  "another order of networks, peers, subnets and pod networks": [
    document(vxlanNetwork(), vlanNetwork({}, {}, { routing: [subnet, more] })),
    {
      podNetworks: ["10.96.0.0/16", "10.244.0.0/16"],
      networks: [
        vlanNetwork({}, {}, { routing: [more, subnet] }),
        vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.20", "10.0.7.19"] } }),
      ],
    },
    [],
  ],
  "a default written out": [document(vxlanNetwork()), document(vxlanNetwork({ port: 4789 })), []],
  "a network that comes and one that goes": [
    document(vlanNetwork(), vxlanNetwork()),
    document(vlanNetwork({ id: 230 }), vxlanNetwork()),
    [
      { kind: "added", network: "vlan230" },
      { kind: "removed", network: "vlan220" },
    ],
  ],
  "what all networks share": [
    { ...document(vlanNetwork()), cni: "cilium" },
    { podNetworks: ["10.244.0.0/16"], networks: [vlanNetwork()] },
    [
      { kind: "changed", path: "podNetworks", from: ["10.244.0.0/16", "10.96.0.0/16"], to: ["10.244.0.0/16"] },
      { kind: "changed", path: "cni", from: "cilium" },
    ],
  ],
  "settings of a network": [
    document(vxlanNetwork()),
    document(vxlanNetwork({ mtu: 1400, bgp: { ...bgp, peers: ["10.0.7.19"], holdTime: 9 } })),
    [
      { kind: "changed", network: "vxlan228", path: "vxlan.mtu", to: 1400 },
      {
        kind: "changed",
        network: "vxlan228",
        path: "vxlan.bgp.peers",
        from: ["10.0.7.19", "10.0.7.20"],
        to: ["10.0.7.19"],
      },
      { kind: "changed", network: "vxlan228", path: "vxlan.bgp.holdTime", from: 30, to: 9 },
    ],
  ],
  "another name and other nodes": [
    document(vlanNetwork()),
    document(vlanNetwork({}, {}, { name: "edge", nodeSelector: { role: "edge" } })),
    [
      { kind: "changed", network: "edge", path: "nodeSelector.role", to: "edge" },
      { kind: "changed", network: "edge", path: "name", from: "vlan220", to: "edge" },
    ],
  ],
  "a subnet more is one difference, and the settings of the other are told by its prefix": [
    document(vlanNetwork()),
    document(vlanNetwork({}, {}, { routing: [more, { ...subnet, gateway: "198.51.100.2", arpAnnouncer: true }] })),
    [
      {
        kind: "changed",
        network: "vlan220",
        path: "routing",
        from: ["198.51.100.0/24"],
        to: ["192.0.2.0/24", "198.51.100.0/24"],
      },
      {
        kind: "changed",
        network: "vlan220",
        path: "routing[198.51.100.0/24].gateway",
        from: "198.51.100.1",
        to: "198.51.100.2",
      },
      {
        kind: "changed",
        network: "vlan220",
        path: "routing[198.51.100.0/24].arpAnnouncer.enabled",
        from: false,
        to: true,
      },
    ],
  ],
};

for (const [name, [old, now, expected]] of Object.entries(cases)) {
  test(name, () => assert.deepEqual(differences(old, now), expected));
}
