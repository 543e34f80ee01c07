import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { document, nodeFacts, vlanNetwork, vxlanNetwork } from "../model/samples.js";
import { type Inputs, printed } from "./reports.js";

type Json = Readonly<Record<string, unknown>>;

const isCommand = /^(ip|bridge|nft|sysctl) /;

/** What is printed around the commands of each network, which the model's own tests hold. */
function around(now: Json, inputs: Inputs = {}): readonly string[] {
  return printed(now, inputs).filter((line) => !isCommand.test(line));
}

const customers = vxlanNetwork(
  { bgp: { myAsn: 65001, peerAsn: 65100, peers: ["10.0.7.19"] }, mtu: 1450 },
  {},
  {
    name: "customers",
    routing: [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1228 },
      { cidr: "2001:db8:1::/64", gateway: "fe80::1", returnPath: "source" },
    ],
  },
);
const edge = vlanNetwork({}, {}, { name: "edge", nodeSelector: { role: "edge", zone: "a" } });
const podNetworks = ["10.244.0.0/16", "fd00:10:244::/56"];
const configuration = { podNetworks, networks: [customers, edge] };

describe("without node", () => {
  test("eBGP with several subnets of both families, and a VLAN: one line for each subnet", () => {
    assert.deepEqual(around(configuration), [
      "NETWORK    TYPE   INTERFACE  SUBNET           TABLE  RULES                     MARK               GOBGP  RD         RT",
      "customers  vxlan  vxlan228   203.0.113.0/24   228    3000 3900 3901 4016 4017  $MARK/0x3ff0       20228  $VTEP:228  export 65001:228 import 65001:228 65100:228",
      "                             192.0.2.0/24     1228   3000 3900 3901 4016 4017  $MARK_1228/0x3ff0",
      "                             2001:db8:1::/64  228    3000 4128 4129            -",
      "edge       vlan   vlan220    198.51.100.0/24  220    3000 3900 3901 4016 4017  $MARK/0x3ff0       -      -          -",
      "",
      "# customers",
      "",
      "# edge",
      "",
      "# What only a node knows, different for each network (--node gives the values):",
      "# $VTEP: the node's own address in vxlan.nodeNet",
      "# $MAC: derived from $VTEP and the VNI; the node's address decides it",
      "# $MTU: what the interface below carries, less the encapsulation of VXLAN",
      "# $MARK: chosen by the node for this network, and kept",
      "# $MARK_TABLE: chosen by the node for this routing table, and kept",
      "",
    ]);
  });

  test("an IPv6 underlay with its own router id, remotes without BGP, and nothing that a node would have to say", () => {
    const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["2001:db8:7::19"], routerId: "10.0.0.1" };
    const bgpLines = around({
      podNetworks,
      networks: [
        vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp }, { cidr: "2001:db8:1::/64", gateway: "2001:db8:1::1" }),
      ],
    });
    assert.deepEqual(bgpLines.slice(0, 2), [
      "NETWORK   TYPE   INTERFACE  SUBNET           TABLE  RULES                     MARK          GOBGP  RD            RT",
      "vxlan228  vxlan  vxlan228   2001:db8:1::/64  228    3000 3900 3901 4128 4129  $MARK/0x3ff0  20228  10.0.0.1:228  65001:228",
    ]);
    const { routerId: _, ...without } = bgp;
    const derived = around({
      podNetworks,
      networks: [
        vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: without }, { cidr: "2001:db8:1::/64", gateway: "fe80::1" }),
      ],
    });
    assert.match(derived[1] ?? "", / 20228 {2}\$ROUTER_ID:228 {2}65001:228$/);
    assert.ok(
      derived.includes("# $ROUTER_ID: the node's BGP identifier, derived from its IPv6 address in vxlan.nodeNet"),
    );
    const [, remotesLine] = around(document(vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.12"] })));
    assert.match(remotesLine ?? "", / \$MARK\/0x3ff0 {2}- {6}- {3}-$/);
    const plain = vlanNetwork({ mtu: 1500 }, { returnPath: "source" });
    assert.deepEqual(around(document(plain)), [
      "NETWORK  TYPE  INTERFACE  SUBNET           TABLE  RULES           MARK  GOBGP  RD  RT",
      "vlan220  vlan  vlan220    198.51.100.0/24  220    3000 4016 4017  -     -      -   -",
      "",
      "# vlan220",
      "",
    ]);
  });

  test("the mask is the one that the CNI leaves", () => {
    const [, line] = around({ ...document(vlanNetwork()), cni: "cilium" });
    assert.match(line ?? "", / \$MARK\/0x3000 /);
  });

  test("no networks", () => {
    assert.deepEqual(printed({ podNetworks: [], networks: [] }), ["# no networks", ""]);
  });
});

describe("on a node", () => {
  const [head, first] = [
    "NETWORK    TYPE   INTERFACE  SUBNET           TABLE  RULES                     MARK         GOBGP  RD             RT",
    "customers  vxlan  vxlan228   203.0.113.0/24   228    3000 3900 3901 4016 4017  0x10/0x3ff0  20228  10.0.7.11:228  export 65001:228 import 65001:228 65100:228",
  ];

  test("a network that its labels do not select has the reason for its commands, and no variables", () => {
    const facts = nodeFacts({ labels: { role: "core" } });
    assert.deepEqual(around(configuration, { facts }), [
      head,
      first,
      "                             192.0.2.0/24     1228   3000 3900 3901 4016 4017  0x20/0x3ff0",
      "                             2001:db8:1::/64  228    3000 4128 4129            -",
      "edge       vlan   vlan220    198.51.100.0/24  220    3000 3900 3901 4016 4017  -            -      -              -",
      "",
      "# conditions on n1:",
      "#   edge: NotSelected: nodeSelector wants role=edge (the node has role=core) and zone=a (the node has no such label)",
      "",
      "# customers on n1",
      "",
      "# edge on n1: not carried (NotSelected)",
      "",
    ]);
    assert.equal(printed(configuration, { facts }).join("\n").includes("$"), false);
  });

  test("so has one that cannot be planned; what is carried otherwise than asked for says so", () => {
    const facts = nodeFacts({ labels: { role: "edge", zone: "a" }, links: [{ name: "eth0", mtu: 1450, up: true }] });
    const lines = around(configuration, { facts });
    assert.deepEqual(lines.slice(5), [
      "",
      "# conditions on n1:",
      "#   customers: MtuTooLarge: vxlan.mtu 1450 needs 1500 on eth0, which has 1450; 1400 is used; raise the MTU of the " +
        "interface below, or lower the configured one",
      "#   edge: ParentMissing: parent bond0 not found; create the parent interface on the node, correct vlan.parent, or keep the node out with nodeSelector",
      "",
      "# customers on n1",
      "",
      "# edge on n1: not carried (ParentMissing)",
      "",
    ]);
    assert.equal(printed(configuration, { facts }).join("\n").includes("$"), false);
  });

  test("a network without VTEP address has no route distinguisher, unless it is configured", () => {
    const facts = nodeFacts({ addresses: [] });
    const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"], routeDistinguisher: "10.0.0.1:7" };
    assert.match(around(document(vxlanNetwork()), { facts })[1] ?? "", / - +20228 {2}- {3}65001:228$/);
    assert.match(
      around(document(vxlanNetwork({ bgp })), { facts })[1] ?? "",
      / - +20228 {2}10\.0\.0\.1:7 {2}65001:228$/,
    );
  });

  test("all commands of a VLAN network, with the node's own values", () => {
    const facts = nodeFacts({ marks: [{ table: 220, mark: { value: 0x70, mask: 0x3ff0 } }] });
    const commands = printed(document(vlanNetwork()), { facts }).filter((line) => /^ip /.test(line));
    assert.deepEqual(commands, [
      "ip link add link bond0 name vlan220 mtu 9000 group 118118118 type vlan id 220",
      "ip link set dev vlan220 alias vlan-router:vlan220",
      "ip link set dev vlan220 up",
      "ip -4 route add 198.51.100.0/24 dev vlan220 table 220 protocol 118 scope link",
      "ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark 0x70/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x70/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3900 fwmark 0x70/0x3ff0 protocol 118 lookup 220",
      "ip -4 rule add priority 3901 fwmark 0x70/0x3ff0 protocol 118 unreachable",
      "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule add priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
    ]);
  });
});
