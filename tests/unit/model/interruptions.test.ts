import assert from "node:assert/strict";
import { test } from "node:test";
import { planChange } from "../../../model/index.js";
import { address, configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** With an address in two prefixes that may be nodeNet, and one for sessions. */
const facts = nodeFacts({
  addresses: ["10.0.7.11", "10.0.9.11", "10.0.8.11"].map((text) => address("eth0", text, 24)),
});

function told(old: readonly unknown[], now: readonly unknown[], podNetworks?: readonly string[]): readonly string[] {
  const after = { ...document(...now), ...(podNetworks === undefined ? {} : { podNetworks }) };
  const change = planChange(configurationOf(document(...old)), configurationOf(after), facts);
  return change.interruptions.map(({ network, traffic, message }) => `${network} ${traffic}: ${message}`);
}

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };

const mail = vxlanNetwork({ vni: 229 }, { cidr: "93.184.216.0/24", gateway: "93.184.216.1" }, { name: "mail" });
const subnet = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
const more = { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1220 };

const inner = vlanNetwork({ id: 229 }, { cidr: "198.51.100.64/26", gateway: "198.51.100.65" }, { name: "mail" });

function innerMoves(to: string, from: string, network: string): string {
  return `${network} outgoing: replies from 198.51.100.64/26 leave by ${to} instead of ${from}, and connections break where that way does not lead to the gateway yet`;
}

const cases: Readonly<
  Record<string, readonly [old: readonly unknown[], now: readonly unknown[], told: readonly string[]]>
> = {
  "a network that comes": [[vxlanNetwork()], [vxlanNetwork(), vlanNetwork()], []],
  "a network that goes": [
    [vxlanNetwork(), vlanNetwork()],
    [vxlanNetwork()],
    ["vlan220 all: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more"],
  ],
  "another VNI, whose network takes the sessions over": [
    [vxlanNetwork()],
    [vxlanNetwork({ vni: 229 })],
    [
      "vxlan228 incoming: vxlan228 is removed: what still arrives by it is lost",
      "vxlan228 fabric: EVPN routes are not exchanged with 10.0.7.19, 10.0.7.20 any more, whose BGP session stays for vxlan229: what only these peers told is lost",
      "vxlan229 outgoing: replies from 203.0.113.0/24 leave by vxlan229 (table 229) instead of vxlan228 (table 228), and connections break where that way does not lead to the gateway yet",
    ],
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
      "vlan220 outgoing: the mark of replies to 198.51.100.0/24 changes: packets on their way at that moment may be dropped",
      "vlan220 outgoing: replies from 198.51.100.0/24 are routed by table 1220 instead of 220",
    ],
  ],
  "one peer less": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19"] } })],
    ["vxlan228 fabric: BGP sessions with 10.0.7.20 end: what only these peers told is lost"],
  ],
  "another hold time": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, holdTime: 9 } })],
    [
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (hold time 30 becomes 9): a peer that keeps no routes over a restart does not know this node until then",
    ],
  ],
  "a password, and TTL security": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, passwordFile: "/etc/bgp/fabric", ttlSecurity: 1 } })],
    [
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (password file none becomes /etc/bgp/fabric, TTL security none becomes 1): a peer that keeps no routes over a restart does not know this node until then",
    ],
  ],
  "our AS in the path": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, allowOwnAs: 1 } })],
    [
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (allowed own AS 0 becomes 1): a peer that keeps no routes over a restart does not know this node until then",
    ],
  ],
  "other limits": [[vxlanNetwork()], [vxlanNetwork({ bgp: { ...bgp, maxRoutes: 1000, maxMacs: 500 } })], []],
  BFD: [[vxlanNetwork()], [vxlanNetwork({ bgp: { ...bgp, bfd: true } })], []],
  "other intervals of BFD": [
    [vxlanNetwork({ bgp: { ...bgp, bfd: true } })],
    [vxlanNetwork({ bgp: { ...bgp, bfd: { multiplier: 5 } } })],
    [],
  ],
  "no BFD any more": [
    [vxlanNetwork({ bgp: { ...bgp, bfd: true } })],
    [vxlanNetwork({ bgp: { ...bgp, bfd: false } })],
    [
      "vxlan228 fabric: BFD with 10.0.7.19, 10.0.7.20 ends: a peer that takes this for a failure, as FRR 8.4 does, closes the BGP session once; switch BFD off there first",
    ],
  ],
  "another source": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, sourceAddress: "10.0.8.0/24" } })],
    [
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (source address 10.0.7.11 becomes 10.0.8.11): a peer that keeps no routes over a restart does not know this node until then",
    ],
  ],
  "another source, and the old one keeps its sessions for another network": [
    [vxlanNetwork(), mail],
    [vxlanNetwork({ bgp: { ...bgp, sourceAddress: "10.0.8.0/24", peers: ["10.0.7.19"] } }), mail],
    [
      "vxlan228 fabric: BGP sessions with 10.0.7.19 are closed and opened again (source address 10.0.7.11 becomes 10.0.8.11): a peer that keeps no routes over a restart does not know this node until then",
      "vxlan228 fabric: EVPN routes are not exchanged with 10.0.7.20 any more, whose BGP session stays for mail: what only these peers told is lost",
    ],
  ],
  "a source that the node has not": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: { ...bgp, sourceAddress: "10.0.10.5" } })],
    ["vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 end: what only these peers told is lost"],
  ],
  "one peer less, which another network keeps": [
    [vxlanNetwork(), mail],
    [vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19"] } }), mail],
    [
      "vxlan228 fabric: EVPN routes are not exchanged with 10.0.7.20 any more, whose BGP session stays for mail: what only these peers told is lost",
    ],
  ],
  "the last network of a BGP session": [
    [vxlanNetwork(), vlanNetwork()],
    [vlanNetwork()],
    [
      "vlan220 cluster: 10.0.7.0/24 is no exception any more: packets between it and 198.51.100.0/24 leave by the gateway",
      "vxlan228 all: vxlan228 is removed: 203.0.113.0/24 cannot be reached through this node any more",
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 end: what only these peers told is lost",
    ],
  ],
  "a network whose BGP sessions another one keeps": [
    [vxlanNetwork(), mail],
    [mail],
    [
      "vxlan228 all: vxlan228 is removed: 203.0.113.0/24 cannot be reached through this node any more",
      "vxlan228 fabric: EVPN routes are not exchanged with 10.0.7.19, 10.0.7.20 any more, whose BGP session stays for mail: what only these peers told is lost",
    ],
  ],
  "another VTEP address": [
    [vxlanNetwork()],
    [vxlanNetwork({ nodeNet: "10.0.9.0/24" })],
    [
      "vxlan228 all: vxlan228 changes (VTEP address 10.0.7.11 becomes 10.0.9.11): nothing passes until the fabric and the gateway have learned it again",
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (VTEP address 10.0.7.11 becomes 10.0.9.11): a peer that keeps no routes over a restart does not know this node until then",
    ],
  ],
  "BGP instead of remotes": [
    [vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.12"] })],
    [vxlanNetwork()],
    [
      "vxlan228 all: hosts are found by EVPN routes instead of learning: those behind a VTEP that announces none cannot be found",
    ],
  ],
  "remotes instead of BGP": [
    [vxlanNetwork()],
    [vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.12"] })],
    [
      "vxlan228 fabric: BGP ends: the node's EVPN routes are withdrawn",
      "vxlan228 fabric: BGP sessions with 10.0.7.19, 10.0.7.20 end: what only these peers told is lost",
    ],
  ],
  "a subnet less": [
    [vlanNetwork({}, {}, { routing: [subnet, more] })],
    [vlanNetwork()],
    [
      "vlan220 all: 192.0.2.0/24 is not part of the network any more: what arrives for it by vlan220 is dropped, and what it sends leaves by the node's default route",
    ],
  ],
  "a subnet less where nothing is filtered": [
    [vlanNetwork({}, {}, { segmentFilter: false, routing: [subnet, more] })],
    [vlanNetwork({}, {}, { segmentFilter: false })],
    [
      "vlan220 outgoing: 192.0.2.0/24 is not part of the network any more: what it sends leaves by the node's default route",
    ],
  ],
  "a subnet that another network has now": [
    [vlanNetwork({}, {}, { routing: [subnet, more] }), mail],
    [vlanNetwork(), { ...mail, routing: [mail.routing, { ...more, table: 1229 }] }],
    [
      "vlan220 incoming: 192.0.2.0/24 is not part of the network any more: what arrives for it by vlan220 is dropped",
      "mail outgoing: replies from 192.0.2.0/24 leave by vxlan229 (table 1229) instead of vlan220 (table 1220), and connections break where that way does not lead to the gateway yet",
    ],
  ],
  "a wider prefix": [[vlanNetwork()], [vlanNetwork({}, { cidr: "198.51.100.0/23" })], []],
  "a narrower prefix": [
    [vlanNetwork()],
    [vlanNetwork({}, { cidr: "198.51.100.0/26" })],
    [
      "vlan220 all: 198.51.100.64/26 is not part of the network any more: what arrives for it by vlan220 is dropped, and what it sends leaves by the node's default route",
      "vlan220 all: 198.51.100.128/25 is not part of the network any more: what arrives for it by vlan220 is dropped, and what it sends leaves by the node's default route",
    ],
  ],
  "two halves instead of the whole": [
    [vlanNetwork()],
    [
      vlanNetwork(
        {},
        {},
        {
          routing: [
            { ...subnet, cidr: "198.51.100.0/25" },
            { cidr: "198.51.100.128/25", gateway: "198.51.100.129", table: 1220 },
          ],
        },
      ),
    ],
    ["vlan220 outgoing: replies from 198.51.100.128/25 are routed by table 1220 instead of 220"],
  ],
  "a prefix inside another network's": [
    [vlanNetwork()],
    [vlanNetwork(), inner],
    [innerMoves("vlan229 (table 229)", "vlan220 (table 220)", "mail")],
  ],
  "a prefix inside another network's that goes": [
    [vlanNetwork(), inner],
    [vlanNetwork()],
    [
      "mail incoming: vlan229 is removed: what still arrives by it is lost",
      innerMoves("vlan220 (table 220)", "vlan229 (table 229)", "vlan220"),
    ],
  ],
  "the prefix around another network's that goes": [
    [vlanNetwork(), inner],
    [inner],
    [
      "vlan220 all: vlan220 is removed: 198.51.100.0/26, 198.51.100.128/25 cannot be reached through this node any more",
    ],
  ],
  "a segment filter": [
    [vlanNetwork({}, {}, { segmentFilter: false })],
    [vlanNetwork()],
    ["vlan220 incoming: what arrives by vlan220 for other addresses than 198.51.100.0/24 is dropped (segmentFilter)"],
  ],
  "no segment filter": [[vlanNetwork()], [vlanNetwork({}, {}, { segmentFilter: false })], []],
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

test("a pod network more", () => {
  const more = ["10.244.0.0/16", "10.96.0.0/16", "10.244.7.0/24", "100.64.0.0/16"];
  assert.deepEqual(told([vlanNetwork()], [vlanNetwork()], more), [
    "vlan220 cluster: 100.64.0.0/16 becomes an exception: packets between it and 198.51.100.0/24 leave by the main table, not by the gateway",
  ]);
});

test("the first subnet of a family brings its exceptions, and the last one takes them, without a word", () => {
  const six = { cidr: "2001:db8:220::/64", gateway: "2001:db8:220::1" };
  const pods = ["10.244.0.0/16", "fd00:10:244::/56"];
  const [one, both] = [[vlanNetwork()], [vlanNetwork({}, {}, { routing: [subnet, six] })]];
  assert.deepEqual(
    told(one, both, pods).filter((text) => text.includes("fd00")),
    [],
  );
  assert.deepEqual(
    told(both, one, pods).filter((text) => text.includes("fd00")),
    [],
  );
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
