import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { configurationCommands, networkCommands, nftRuleset, planNode } from "../../../model/index.js";
import { configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

describe("commands as the configuration alone gives them", () => {
  const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];
  const commandsOf = (value: unknown) =>
    configurationOf(document(value)).networks.flatMap((network) => configurationCommands(network, podNetworks));

  test("a VXLAN network with BGP", () => {
    assert.deepEqual(commandsOf(vxlanNetwork()), [
      "ip link add name vxlan228 address $MAC mtu $MTU group 118118118 type vxlan id 228 local $VTEP dstport 4789 nolearning",
      "ip link set dev vxlan228 alias vlan-router:vxlan228",
      "sysctl -w net.ipv4.conf.vxlan228.rp_filter=0",
      "sysctl -w net.ipv6.conf.vxlan228.accept_ra=0",
      "sysctl -w net.ipv6.conf.vxlan228.autoconf=0",
      'nft "add table inet vlan_router"',
      'nft "add chain inet vlan_router segment { type filter hook prerouting priority -310; policy accept; }"',
      'nft "add chain inet vlan_router forward { type filter hook forward priority -10; policy accept; }"',
      'nft "add chain inet vlan_router mark_input { type filter hook prerouting priority mangle; policy accept; }"',
      'nft "add chain inet vlan_router mark_output { type route hook output priority mangle; policy accept; }"',
      'nft "add rule inet vlan_router segment iifname vxlan228 ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop"',
      'nft "add rule inet vlan_router segment iifname vxlan228 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept"',
      'nft "add rule inet vlan_router segment iifname vxlan228 ip6 daddr != ff00::/8 drop"',
      'nft "add rule inet vlan_router forward iifname vxlan228 ip daddr 203.0.113.0/24 drop"',
      'nft "add rule inet vlan_router mark_input iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or $MARK"',
      'nft "add rule inet vlan_router mark_output ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or $MARK"',
      "ip link set dev vxlan228 up",
      "ip -4 route add 203.0.113.0/24 dev vxlan228 table 228 protocol 118 scope link",
      "ip -4 route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.0.7.0/24 fwmark $MARK/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark $MARK/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark $MARK/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3900 fwmark $MARK/0x3ff0 protocol 118 lookup 228",
      "ip -4 rule add priority 3901 fwmark $MARK/0x3ff0 protocol 118 unreachable",
      "ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
      "ip -4 rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
    ]);
  });

  test("a VXLAN network without BGP learns and floods", () => {
    const commands = commandsOf(vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.7", "10.0.7.6"], mtu: 1400 }));
    assert.equal(
      commands[0],
      "ip link add name vxlan228 address $MAC mtu 1400 group 118118118 type vxlan id 228 local $VTEP dstport 4789 learning",
    );
    assert.deepEqual(
      commands.filter((command) => command.includes("bridge")),
      [
        '[ "$VTEP" = 10.0.7.6 ] || bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.6 self permanent',
        '[ "$VTEP" = 10.0.7.7 ] || bridge fdb append 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.7 self permanent',
      ],
    );
  });

  test("a VLAN network; a parent's name is quoted where a shell would read more into it", () => {
    assert.equal(
      commandsOf(vlanNetwork())[0],
      "ip link add link bond0 name vlan220 mtu $MTU group 118118118 type vlan id 220",
    );
    const odd = commandsOf(vlanNetwork({ parent: "a$(id)'b", mtu: 1500 }));
    assert.equal(odd[0], "ip link add link 'a$(id)'\\''b' name vlan220 mtu 1500 group 118118118 type vlan id 220");
  });

  test("each table has a variable of its own, and without marks there is none", () => {
    const routing = [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1228 },
    ];
    const commands = commandsOf(vxlanNetwork({}, {}, { routing }));
    assert.ok(commands.includes("ip -4 rule add priority 3900 fwmark $MARK/0x3ff0 protocol 118 lookup 228"));
    assert.ok(commands.includes("ip -4 rule add priority 3900 fwmark $MARK_1228/0x3ff0 protocol 118 lookup 1228"));
    const marked = (prefix: string) =>
      commands.find((command) => command.includes(`original ip daddr ${prefix}`)) ?? "";
    assert.match(marked("203.0.113.0/24"), /or \$MARK"$/);
    assert.match(marked("192.0.2.0/24"), /or \$MARK_1228"$/);
    assert.equal(
      commandsOf(vxlanNetwork({}, { returnPath: "source" }))
        .join()
        .includes("MARK"),
      false,
    );
  });

  test("of a node differ only in what the node knows", () => {
    const configuration = configurationOf(document(vxlanNetwork()));
    const [network] = planNode(configuration, nodeFacts()).networks;
    if (network === undefined) throw new Error("not planned");
    const known = { $VTEP: "10.0.7.11", $MAC: "86:3c:32:dd:76:2b", $MARK: "0x10", $MTU: "1500" };
    const filled = commandsOf(vxlanNetwork()).map((command) =>
      Object.entries(known).reduce((text, [name, value]) => text.replaceAll(name, value), command),
    );
    assert.deepEqual(networkCommands(network), filled);
  });
});

describe("nft table of a node", () => {
  const rulesetOf = (networks: readonly unknown[], rpFilterAll = 0) =>
    nftRuleset(
      planNode(configurationOf(document(...networks)), nodeFacts({ rpFilterAll })).networks.map(({ filter }) => filter),
    );

  test("IPv4 and IPv6 under strict rp_filter: requests are marked too", () => {
    const routing = [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
    ];
    assert.equal(
      rulesetOf([vxlanNetwork({}, {}, { routing })], 2),
      `add table inet vlan_router
delete table inet vlan_router
table inet vlan_router {
  chain segment {
    type filter hook prerouting priority -310; policy accept;
    iifname vxlan228 ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop
    iifname vxlan228 icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
    iifname vxlan228 ip6 daddr != { 2001:db8:1::/64, ff00::/8 } drop
  }
  chain forward {
    type filter hook forward priority -10; policy accept;
    iifname vxlan228 ip daddr 203.0.113.0/24 drop
    iifname vxlan228 ip6 daddr 2001:db8:1::/64 drop
  }
  chain mark_input {
    type filter hook prerouting priority mangle; policy accept;
    iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10
    iifname vxlan228 ct direction original ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10
    iifname != vxlan228 ct direction reply ct original ip6 daddr 2001:db8:1::/64 meta mark set meta mark and 0xffffc00f or 0x10
  }
  chain mark_output {
    type route hook output priority mangle; policy accept;
    ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x10
    ct direction reply ct original ip6 daddr 2001:db8:1::/64 meta mark set meta mark and 0xffffc00f or 0x10
  }
}
`,
    );
  });

  test("an interface that carries less than its segment: TCP is told what fits, in each family", () => {
    const routing = [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
    ];
    const facts = nodeFacts({ links: [{ name: "eth0", mtu: 1500, up: true }] });
    const network = vxlanNetwork({}, {}, { routing, segmentFilter: false });
    const [planned] = planNode(configurationOf(document(network)), facts).networks;
    if (planned === undefined) throw new Error("not planned");
    const { mark: _, ...unmarked } = planned.filter;
    assert.equal(
      nftRuleset([unmarked]),
      `add table inet vlan_router
delete table inet vlan_router
table inet vlan_router {
  chain clamp_input {
    type filter hook prerouting priority mangle; policy accept;
    iifname vxlan228 meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
    iifname vxlan228 meta nfproto ipv6 tcp flags syn tcp option maxseg size set 1390
  }
  chain clamp_output {
    type filter hook postrouting priority mangle; policy accept;
    oifname vxlan228 meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
    oifname vxlan228 meta nfproto ipv6 tcp flags syn tcp option maxseg size set 1390
  }
}
`,
    );
  });

  test("without networks the table goes", () => {
    assert.equal(nftRuleset([]), "add table inet vlan_router\ndelete table inet vlan_router\n");
  });

  test("does not depend on the order of the filters", () => {
    const filters = planNode(configurationOf(document(vxlanNetwork(), vlanNetwork())), nodeFacts()).networks.map(
      ({ filter }) => filter,
    );
    assert.equal(nftRuleset(filters.toReversed()), nftRuleset(filters));
  });

  test("a network without segment filter keeps its marks only", () => {
    const [network] = planNode(configurationOf(document(vxlanNetwork())), nodeFacts()).networks;
    if (network === undefined) throw new Error("not planned");
    const text = nftRuleset([{ ...network.filter, segmentFilter: false }]);
    assert.doesNotMatch(text, /drop/);
    assert.match(text, /or 0x10\n/);
  });
});
