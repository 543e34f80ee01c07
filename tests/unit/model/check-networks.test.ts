import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkNetworks, renderMistake } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };
const second = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };

describe("between networks", () => {
  const cases: readonly (readonly [networks: readonly unknown[], message: string])[] = [
    [
      [vlanNetwork({}, {}, { name: "uplink" }), vlanNetwork({ id: 221 }, second, { name: "uplink" })],
      "networks[1].name: uplink is already taken by networks[0].name; give one of them another name",
    ],
    [
      [vxlanNetwork(), vlanNetwork({}, { cidr: "203.0.113.0/24", gateway: "203.0.113.1" })],
      "networks[1].routing.cidr: 203.0.113.0/24 is already networks[0].routing.cidr; a prefix stands in one network; remove one, or to move it set routing.replaces: vxlan228 here",
    ],
    [
      [vlanNetwork(), vxlanNetwork({ nodeNet: "198.51.100.128/25", bgp: { ...bgp, peers: ["10.0.9.1"] } })],
      "networks[1].vxlan.nodeNet: 198.51.100.128/25 overlaps the public prefix 198.51.100.0/24 of networks[0].routing.cidr: the tunnel's own packets would be routed into it; write the prefix of the nodes' addresses in the underlay",
    ],
    [
      [vlanNetwork(), vxlanNetwork({ bgp: { ...bgp, peers: ["198.51.100.7"] } })],
      "networks[1].vxlan.bgp.peers[0]: 198.51.100.7 lies inside the public prefix 198.51.100.0/24 of networks[0].routing.cidr; write the peer's address in the underlay",
    ],
  ];
  for (const [networks, message] of cases) {
    test(message, () => assert.deepEqual(mistakesOf(document(...networks)), [message]));
  }
});

describe("what may stand together", () => {
  const accepted: Readonly<Record<string, readonly unknown[]>> = {
    "clashing VNIs with overrides": [
      vxlanNetwork(),
      vxlanNetwork({ vni: 655_588, bgp: { ...bgp, gobgpPort: 21_000, routeDistinguisher: "10.0.7.5:1" } }, second),
    ],
  };
  for (const [name, networks] of Object.entries(accepted)) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), []));
  }
});

test("a set gathered from a cluster is named by the networks' names", () => {
  const networks = [
    ...configurationOf(document(vxlanNetwork())).networks,
    ...configurationOf(document(vlanNetwork({ id: 228 }, {}, { name: "uplink" }))).networks,
  ];
  assert.deepEqual(checkNetworks(networks).map(renderMistake), [
    "uplink.vlan.id: 228 is the routing table that vxlan228.vxlan.vni already uses; set routing.table",
  ]);
  assert.deepEqual(checkNetworks(networks.slice(0, 1)), []);
});
