import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { address, document, nodeFacts, vlanNetwork, vxlanNetwork } from "../model/samples.js";
import { type Inputs, printed } from "./reports.js";

type Json = Readonly<Record<string, unknown>>;

/** What is printed below the table; of a ruleset only what depends on marks, the rest is held by the model's tests. */
function change(from: Json, now: Json, inputs: Inputs = {}): readonly string[] {
  const lines = printed(now, { ...inputs, from });
  return lines
    .slice(lines.indexOf("") + 1)
    .filter((line) => !/^( |add table|delete table|table|})/.test(line) || / or /.test(line));
}

/** The same without the commands. */
function told(from: Json, now: Json, inputs: Inputs = {}): readonly string[] {
  return change(from, now, inputs).filter((line) => line.startsWith("#"));
}

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] };

describe("on any node", () => {
  test("what differs, what it interrupts, and the commands with variables for what the node knows", () => {
    const old = document(vxlanNetwork(), vlanNetwork());
    const now = document(
      vxlanNetwork({ mtu: 1400 }),
      vlanNetwork({ id: 230 }, { cidr: "192.0.2.0/24", gateway: "192.0.2.1" }),
    );
    const mark = "meta mark set meta mark and 0xffffc00f or";
    assert.deepEqual(change(old, now), [
      "# what new.yaml changes in old.yaml:",
      "#   vxlan228: vxlan.mtu: not set -> 1400",
      "#   vlan230: added",
      "#   vlan220: removed",
      "",
      "# interrupts:",
      "#   vlan220: all traffic: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more",
      "#   vxlan228: large packets: MTU of vxlan228 falls from $MTU to 1400: larger packets are dropped until both ends know",
      "",
      "# commands for every node, in this order:",
      "# vlan230: rules, before its interface and before nft sets its mark",
      "ip -4 rule add priority 3000 to 10.0.7.0/24 fwmark $MARK_230/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark $MARK_230/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark $MARK_230/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3900 fwmark $MARK_230/0x3ff0 protocol 118 lookup 230",
      "ip -4 rule add priority 3901 fwmark $MARK_230/0x3ff0 protocol 118 unreachable",
      "ip -4 rule add priority 3000 from 192.0.2.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 192.0.2.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 192.0.2.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 4016 from 192.0.2.0/24 protocol 118 lookup 230",
      "ip -4 rule add priority 4017 from 192.0.2.0/24 protocol 118 unreachable",
      "# what belongs to no network any more",
      "ip -4 route del 198.51.100.0/24 table 220 protocol 118",
      "ip -4 route del default table 220 protocol 118",
      "ip link del dev vlan220",
      "# nft table of all networks",
      "nft -f - <<EOF",
      `    iifname != vlan230 ct direction reply ct original ip daddr 192.0.2.0/24 ${mark} $MARK_230`,
      `    iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 ${mark} $MARK_228`,
      `    ct direction reply ct original ip daddr 192.0.2.0/24 ${mark} $MARK_230`,
      `    ct direction reply ct original ip daddr 203.0.113.0/24 ${mark} $MARK_228`,
      "EOF",
      "# vlan230",
      "ip link add link bond0 name vlan230 mtu $MTU group 118118118 type vlan id 230",
      "ip link set dev vlan230 alias vlan-router:vlan230",
      "sysctl -w net.ipv4.conf.vlan230.rp_filter=0",
      "sysctl -w net.ipv6.conf.vlan230.accept_ra=0",
      "sysctl -w net.ipv6.conf.vlan230.autoconf=0",
      "ip link set dev vlan230 up",
      "ip -4 route add 192.0.2.0/24 dev vlan230 table 230 protocol 118 scope link",
      "ip -4 route add default via 192.0.2.1 dev vlan230 table 230 protocol 118",
      "# vxlan228",
      "ip link set dev vxlan228 mtu 1400",
      "# what belongs to no network any more",
      "ip -4 rule del priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
      "ip -4 rule del priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule del priority 3901 fwmark $MARK_220/0x3ff0 protocol 118 unreachable",
      "ip -4 rule del priority 3900 fwmark $MARK_220/0x3ff0 protocol 118 lookup 220",
      "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule del priority 3000 to 10.0.7.0/24 fwmark $MARK_220/0x3ff0 protocol 118 lookup main",
      "ip -4 rule del priority 3000 to 10.244.0.0/16 fwmark $MARK_220/0x3ff0 protocol 118 lookup main",
      "ip -4 rule del priority 3000 to 10.96.0.0/16 fwmark $MARK_220/0x3ff0 protocol 118 lookup main",
      "",
      "# What only a node knows, different for each network (--node gives the values):",
      "# $MTU: what the interface below carries, less the encapsulation of VXLAN",
      "# $MARK_TABLE: chosen by the node for this routing table, and kept",
      "",
    ]);
  });

  test("another nodeNet: no address that was made up is shown", () => {
    const now = document(vxlanNetwork({ nodeNet: "10.0.9.0/24" }));
    assert.deepEqual(change(document(vxlanNetwork()), now).slice(0, 14), [
      "# what new.yaml changes in old.yaml:",
      "#   vxlan228: vxlan.nodeNet: 10.0.7.0/24 -> 10.0.9.0/24",
      "",
      "# interrupts:",
      "#   vxlan228: all traffic: vxlan228 changes (another VTEP address): nothing passes until the fabric and the gateway have learned it again",
      "#   vxlan228: traffic through the fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (another VTEP address): a peer that keeps no routes over a restart does not know this node until then",
      "",
      "# commands for every node, in this order:",
      "# vxlan228: rules, before its interface and before nft sets its mark",
      "ip -4 rule add priority 3000 to 10.0.9.0/24 fwmark $MARK_228/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.0.9.0/24 protocol 118 lookup main",
      "# vxlan228",
      "ip link set dev vxlan228 address $MAC",
      "ip link set dev vxlan228 type vxlan id 228 local $VTEP nolearning",
    ]);
  });

  test("an interface that is named now may be the one of before", () => {
    const now = document(vxlanNetwork({ nodeInterface: "bond1" }));
    assert.deepEqual(change(document(vxlanNetwork()), now), [
      "# what new.yaml changes in old.yaml:",
      "#   vxlan228: vxlan.nodeInterface: not set -> bond1",
      "",
      "# nothing changes on any node",
      "",
    ]);
  });

  test("a router id: the address of before is a variable", () => {
    const now = document(vxlanNetwork({ bgp: { ...bgp, routerId: "10.0.0.1" } }));
    assert.deepEqual(told(document(vxlanNetwork()), now), [
      "# what new.yaml changes in old.yaml:",
      "#   vxlan228: vxlan.bgp.routerId: not set -> 10.0.0.1",
      "# interrupts:",
      "#   vxlan228: traffic through the fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (router id $VTEP becomes 10.0.0.1): a peer that keeps no routes over a restart does not know this node until then",
      "#   vxlan228: traffic through the fabric: EVPN routes are announced again (route distinguisher $VTEP:228 becomes 10.0.0.1:228)",
      "# no commands: nothing changes in the kernel",
      "# What only a node knows, different for each network (--node gives the values):",
      "# $VTEP: the node's own address in vxlan.nodeNet",
    ]);
  });

  test("a router id where the node's address has no four bytes: what is derived from it is a variable too", () => {
    const six = (change: object) =>
      document(vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: { ...bgp, peers: ["2001:db8:7::19"], ...change } }));
    assert.deepEqual(told(six({}), six({ routerId: "10.0.0.1" })).slice(2, 5), [
      "# interrupts:",
      "#   vxlan228: traffic through the fabric: BGP sessions with 2001:db8:7::19 are closed and opened again (router id $ROUTER_ID becomes 10.0.0.1): a peer that keeps no routes over a restart does not know this node until then",
      "#   vxlan228: traffic through the fabric: EVPN routes are announced again (route distinguisher $ROUTER_ID:228 becomes 10.0.0.1:228)",
    ]);
  });

  test("a peer whose address begins like the one that was made up is named as it is", () => {
    const network = (peers: readonly string[]) =>
      document(vxlanNetwork({ nodeNet: "10.0.7.24/31", bgp: { ...bgp, peers } }));
    assert.deepEqual(told(network(["10.0.7.19", "10.0.7.241"]), network(["10.0.7.19"])).slice(2, 4), [
      "# interrupts:",
      "#   vxlan228: traffic through the fabric: BGP sessions with 10.0.7.241 end: what only these peers told is lost",
    ]);
  });

  test("a peer more interrupts nothing and needs no command", () => {
    const now = document(vxlanNetwork({ bgp: { ...bgp, peers: [...bgp.peers, "10.0.7.21"] } }));
    assert.deepEqual(told(document(vxlanNetwork()), now), [
      "# what new.yaml changes in old.yaml:",
      "#   vxlan228: vxlan.bgp.peers: 10.0.7.19, 10.0.7.20 -> 10.0.7.19, 10.0.7.20, 10.0.7.21",
      "# interrupts nothing",
      "# no commands: nothing changes in the kernel",
    ]);
  });

  test("another mask of marks: the marks of before have a name of their own", () => {
    const lines = change(document(vlanNetwork()), { ...document(vlanNetwork()), cni: "cilium" });
    assert.deepEqual(
      lines.filter((line) => / 3901 |OLD/.test(line)),
      [
        "ip -4 rule add priority 3901 fwmark $MARK_220/0x3000 protocol 118 unreachable",
        "ip -4 rule del priority 3901 fwmark $OLD_MARK_220/0x3ff0 protocol 118 unreachable",
        "ip -4 rule del priority 3900 fwmark $OLD_MARK_220/0x3ff0 protocol 118 lookup 220",
        "ip -4 rule del priority 3000 to 10.244.0.0/16 fwmark $OLD_MARK_220/0x3ff0 protocol 118 lookup main",
        "ip -4 rule del priority 3000 to 10.96.0.0/16 fwmark $OLD_MARK_220/0x3ff0 protocol 118 lookup main",
        "# $OLD_MARK_TABLE: the mark that this routing table has until now",
      ],
    );
  });

  test("a table that takes a prefix over keeps the mark: both rules name it by the new table", () => {
    const taker = vxlanNetwork({}, { cidr: "198.51.100.0/24", gateway: "198.51.100.1", replaces: "vlan220" });
    const lines = change(document(vlanNetwork()), document(vlanNetwork(), taker));
    assert.deepEqual(
      lines.filter((line) => / 390[01] /.test(line)),
      [
        "ip -4 rule add priority 3900 fwmark $MARK_228/0x3ff0 protocol 118 lookup 228",
        "ip -4 rule del priority 3900 fwmark $MARK_228/0x3ff0 protocol 118 lookup 220",
      ],
    );
    assert.ok(
      lines.includes(
        "#   vlan220: PrefixReplaced: 198.51.100.0/24 is routed by vxlan228 on this node, which replaces this network there",
      ),
    );
  });

  test("no networks any more", () => {
    assert.deepEqual(printed({ podNetworks: [], networks: [] }, { from: document(vlanNetwork()) }).slice(0, 8), [
      "# no networks",
      "",
      "# what new.yaml changes in old.yaml:",
      "#   podNetworks: 10.244.0.0/16, 10.96.0.0/16 -> none",
      "#   vlan220: removed",
      "",
      "# interrupts:",
      "#   vlan220: all traffic: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more",
    ]);
  });

  test("the same in another order is no change", () => {
    const old = document(vxlanNetwork(), vlanNetwork());
    assert.deepEqual(change(old, document(vlanNetwork(), vxlanNetwork())), [
      "# nothing changes: new.yaml means the same as old.yaml",
      "",
    ]);
  });
});

describe("with a nodeSelector", () => {
  const edge = (role: string) => vlanNetwork({}, {}, { name: "edge", nodeSelector: { role } });

  test("another one: some nodes lose the network, others get it, and all others are not concerned", () => {
    assert.deepEqual(told(document(vxlanNetwork(), edge("edge")), document(vxlanNetwork(), edge("border"))), [
      "# what new.yaml changes in old.yaml:",
      "#   edge: nodeSelector.role: edge -> border",
      "# interrupts:",
      "#   edge on nodes with role=edge: all traffic: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more",
      "# commands for nodes with role=border, in this order:",
      "# edge: rules, before its interface and before nft sets its mark",
      "# nft table of all networks",
      "# edge",
      "# commands for nodes with role=edge, in this order:",
      "# what belongs to no network any more",
      "# nft table of all networks",
      "# what belongs to no network any more",
      "# What only a node knows, different for each network (--node gives the values):",
      "# $MTU: what the interface below carries, less the encapsulation of VXLAN",
      "# $MARK_TABLE: chosen by the node for this routing table, and kept",
    ]);
  });

  test("what happens on all nodes is told once", () => {
    const now = document(vxlanNetwork({ bgp: { ...bgp, holdTime: 9 } }), edge("edge"));
    assert.deepEqual(told(document(vxlanNetwork(), edge("edge")), now).slice(2), [
      "# interrupts:",
      "#   vxlan228: traffic through the fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (hold time 30 becomes 9): a peer that keeps no routes over a restart does not know this node until then",
      "# no commands: nothing changes in the kernel",
    ]);
  });

  test("in every network there are no other nodes", () => {
    const now = document(vlanNetwork({ mtu: 1400 }, {}, { name: "edge", nodeSelector: { role: "edge" } }));
    assert.deepEqual(told(document(edge("edge")), now).slice(2, 5), [
      "# interrupts:",
      "#   edge: large packets: MTU of vlan220 falls from $MTU to 1400: larger packets are dropped until both ends know",
      "# commands for nodes with role=edge, in this order:",
    ]);
  });

  test("the nodes without label are named where others have another part in it", () => {
    const now = document(vxlanNetwork({ mtu: 1400 }), edge("edge"));
    assert.deepEqual(
      told(document(vxlanNetwork(), edge("edge")), now).filter((line) => line.startsWith("# commands")),
      [
        "# commands for nodes that no nodeSelector picks, in this order:",
        "# commands for nodes with role=edge, in this order:",
      ],
    );
  });
});

describe("on a node", () => {
  const old = document(vxlanNetwork(), vlanNetwork());

  test("the values are its own, and a network that stays keeps its mark, in the table too", () => {
    const facts = nodeFacts();
    const now = document(vxlanNetwork());
    const lines = change(old, now, { facts });
    assert.deepEqual(
      [printed(now, { facts, from: old })[1], ...lines.filter((line) => / 3901 | or |^#/.test(line))],
      [
        "vxlan228  vxlan  vxlan228   203.0.113.0/24  228    3000 3900 3901 4016 4017  0x20/0x3ff0  20228  10.0.7.11:228  65001:228",
        "# what new.yaml changes in old.yaml:",
        "#   vlan220: removed",
        "# interrupts:",
        "#   vlan220: all traffic: vlan220 is removed: 198.51.100.0/24 cannot be reached through this node any more",
        "# commands for n1, in this order:",
        "# what belongs to no network any more",
        "# nft table of all networks",
        "    iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
        "    ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
        "# what belongs to no network any more",
        "ip -4 rule del priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
      ],
    );
    assert.ok(lines.includes("nft -f - <<'EOF'"));
  });

  test("a VTEP address that it has", () => {
    const addresses = [address("eth0", "10.0.7.11", 24), address("eth0", "10.0.9.11", 24)];
    const now = document(vxlanNetwork({ nodeNet: "10.0.9.0/24" }));
    assert.deepEqual(told(document(vxlanNetwork()), now, { facts: nodeFacts({ addresses }) }).slice(2, 4), [
      "# interrupts:",
      "#   vxlan228: all traffic: vxlan228 changes (VTEP address 10.0.7.11 becomes 10.0.9.11): nothing passes until the fabric and the gateway have learned it again",
    ]);
  });

  test("that is not concerned", () => {
    const now = document(vxlanNetwork(), vlanNetwork({}, {}, { nodeSelector: { role: "edge" } }));
    const before = document(vxlanNetwork(), vlanNetwork({ mtu: 1400 }, {}, { nodeSelector: { role: "edge" } }));
    assert.deepEqual(change(before, now, { facts: nodeFacts() }), [
      "# conditions on n1:",
      "#   vlan220: NotSelected: nodeSelector wants role=edge (the node has no such label)",
      "",
      "# what new.yaml changes in old.yaml:",
      "#   vlan220: vlan.mtu: 1400 -> not set",
      "",
      "# nothing changes on n1",
      "",
    ]);
  });

  test("a network that it cannot plan any more stays as it is, and says why", () => {
    const now = document(vxlanNetwork(), vlanNetwork({ parent: "bond9" }));
    assert.deepEqual(told(old, now, { facts: nodeFacts() }), [
      "# conditions on n1:",
      "#   vlan220: ParentMissing: parent bond9 not found; create the parent interface on the node, correct vlan.parent, or keep the node out with nodeSelector",
      "# what new.yaml changes in old.yaml:",
      "#   vlan220: vlan.parent: bond0 -> bond9",
      "# interrupts nothing",
      "# no commands: nothing changes in the kernel",
    ]);
  });
});
