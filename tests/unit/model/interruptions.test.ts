import assert from "node:assert/strict";
import { test } from "node:test";
import { planChange } from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

function told(old: readonly unknown[], now: readonly unknown[], podNetworks?: readonly string[]): readonly string[] {
  const after = { ...document(...now), ...(podNetworks === undefined ? {} : { podNetworks }) };
  const change = planChange(configurationOf(document(...old)), configurationOf(after), nodeFacts());
  return change.interruptions.map(({ network, traffic, message }) => `${network} ${traffic}: ${message}`);
}

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };

const cases: Readonly<
  Record<string, readonly [old: readonly unknown[], now: readonly unknown[], told: readonly string[]]>
> = {
  "a network that comes": [[vxlanNetwork()], [vxlanNetwork(), vlanNetwork()], []],
  "a network that goes": [
    [vxlanNetwork(), vlanNetwork()],
    [vxlanNetwork()],
    ["vlan220 all: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more"],
  ],
  "another UDP port": [
    [vxlanNetwork()],
    [vxlanNetwork({ port: 4790 })],
    [
      "vxlan228 all: vxlan228 is made again (UDP port 4789 becomes 4790): nothing passes until the fabric and the gateway have learned it again",
    ],
  ],
  "another gateway": [
    [vlanNetwork()],
    [vlanNetwork({}, { gateway: "198.51.100.2" })],
    [
      "vlan220 outgoing: table 220 sends by 198.51.100.2 instead of 198.51.100.1: outgoing packets take the new way at once, and connections break where the new gateway does not know them",
    ],
  ],
  "a smaller MTU": [
    [vlanNetwork()],
    [vlanNetwork({ mtu: 1500 })],
    ["vlan220 large: MTU of vlan220 falls from 9000 to 1500: larger packets are dropped until both ends know"],
  ],
  "a larger MTU": [[vlanNetwork({ mtu: 1500 })], [vlanNetwork()], []],
  "another table": [
    [vlanNetwork()],
    [vlanNetwork({}, { table: 1220, returnPath: "auto" })],
    [
      "vlan220 outgoing: replies from 198.51.100.0/24 are routed by table 1220 instead of 220",
      "vlan220 outgoing: the mark of replies to 198.51.100.0/24 changes: packets on their way at that moment may be dropped",
    ],
  ],
  "one peer less": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19"] } })],
    ["vxlan228 fabric: BGP sessions with 10.0.7.20 end"],
  ],
  "another hold time": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, holdTime: 9 } })],
    ["vxlan228 fabric: BGP sessions are closed and opened again (hold time 30 becomes 9)"],
  ],
  "another order": [[vxlanNetwork(), vlanNetwork()], [vlanNetwork(), vxlanNetwork()], []],
};

for (const [name, [old, now, expected]] of Object.entries(cases)) {
  test(name, () => assert.deepEqual(told(old, now), expected));
}

test("a pod network less", () => {
  assert.deepEqual(told([vlanNetwork()], [vlanNetwork()], ["10.244.0.0/16"]), [
    "vlan220 cluster: 10.96.0.0/16 is no exception any more: packets between it and 198.51.100.0/24 leave by the gateway",
  ]);
});

test("a new network takes no mark from one that stays", () => {
  const { diff } = planChange(
    configurationOf(document(vxlanNetwork())),
    configurationOf(document(vxlanNetwork(), vlanNetwork({ id: 100 }))),
    nodeFacts(),
  );
  const stays = diff.networks.find(({ network }) => network === "vxlan228");
  assert.deepEqual([stays?.link, stays?.additions, stays?.removals], [[], [], []]);
});
