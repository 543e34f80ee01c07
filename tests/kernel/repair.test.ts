import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { FollowedNode } from "./followed-node.js";

/**
 * Milliseconds. A repair shall stand within a second, and what each one took is printed; the bound leaves room for a machine
 * that runs other tests.
 */
const longestRepair = 3_000;

interface Damage {
  readonly what: string;
  readonly command: string;
}

/** What iproute2 prints of the network's rules: each of them is deleted once. */
const rules = {
  4: [
    "3000 from 203.0.113.0/24 to 10.0.7.0/24 lookup main",
    "3000 from 203.0.113.0/24 to 10.244.0.0/16 lookup main",
    "3000 from 203.0.113.0/24 to 10.96.0.0/16 lookup main",
    "3000 from all to 10.0.7.0/24 fwmark 0x10/0x3ff0 lookup main",
    "3000 from all to 10.244.0.0/16 fwmark 0x10/0x3ff0 lookup main",
    "3000 from all to 10.96.0.0/16 fwmark 0x10/0x3ff0 lookup main",
    "3900 from all fwmark 0x10/0x3ff0 lookup 228",
    "3901 from all fwmark 0x10/0x3ff0 unreachable",
    "4016 from 203.0.113.0/24 lookup 228",
    "4017 from 203.0.113.0/24 unreachable",
  ],
  6: [
    "3900 from all fwmark 0x10/0x3ff0 lookup 228",
    "3901 from all fwmark 0x10/0x3ff0 unreachable",
    "4128 from 2001:db8:228::/64 lookup 228",
    "4129 from 2001:db8:228::/64 unreachable",
  ],
} as const;

const ruleDamages: readonly Damage[] = ([4, 6] as const).flatMap((family) =>
  rules[family].map((rule) => ({
    what: `E1: one rule alone (IPv${family}): ${rule}`,
    command: `ip -${family} rule del priority ${rule} protocol 118`,
  })),
);

const routingDamages: readonly Damage[] = [
  {
    what: "E1: all rules of our protocol at once",
    command: "ip -4 rule flush protocol 118; ip -6 rule flush protocol 118",
  },
  { what: "E1: the default route alone (IPv4)", command: "ip route del default table 228" },
  { what: "the default route alone (IPv6)", command: "ip -6 route del default table 228" },
  { what: "the connected route, and the default route with it", command: "ip route flush table 228" },
  { what: "the connected route (IPv6)", command: "ip -6 route del 2001:db8:228::/64 table 228" },
  {
    what: "the gateway of the default route",
    command: "ip route replace default via 203.0.113.9 dev vxlan228 table 228 protocol 118",
  },
  { what: "A2: rp_filter of our interface", command: "sysctl -q -w net.ipv4.conf.vxlan228.rp_filter=2" },
  { what: "accept_ra, of which the kernel tells nothing", command: "sysctl -q -w net.ipv6.conf.vxlan228.accept_ra=1" },
  {
    what: "IPv6 of our interface, with which its routes go",
    command: "sysctl -q -w net.ipv6.conf.vxlan228.disable_ipv6=1",
  },
  { what: "the nft table", command: "nft delete table inet vlan_router" },
  {
    what: "a chain of the nft table",
    command: "nft 'flush chain inet vlan_router forward; delete chain inet vlan_router forward'",
  },
  { what: "the rules of a chain", command: "nft flush chain inet vlan_router forward" },
  { what: "a rule that somebody adds", command: "nft insert rule inet vlan_router forward accept" },
  {
    what: "the policy of a chain",
    command: "nft 'chain inet vlan_router segment { policy drop; }'",
  },
  { what: "the nft table, put to sleep", command: "nft 'add table inet vlan_router { flags dormant; }'" },
  { what: "a chain that somebody adds", command: "nft add chain inet vlan_router other" },
  { what: "the whole nft rule set", command: "nft flush ruleset" },
];

/** With our protocol number and in our table, so that they are ours to put right. */
const routeForms: readonly Damage[] = [
  ...[
    "add default via 203.0.113.9 dev vxlan228 table 228 protocol 118 metric 5",
    "add default via 203.0.113.9 dev vxlan228 table 228 protocol 118 tos 0x10",
    "replace default via 203.0.113.1 dev vxlan228 table 228 protocol 118 mtu 1400 advmss 1300",
    "replace default via 203.0.113.1 dev vxlan228 table 228 protocol 118 src 10.0.7.5",
    "prepend default via 203.0.113.9 dev vxlan228 table 228 protocol 118",
    "prepend default via 203.0.113.1 dev vxlan228 table 228 protocol 118 mtu 500",
    "append default via 203.0.113.9 dev vxlan228 table 228 protocol 118",
    "prepend unreachable default table 228 protocol 118",
    "prepend default table 228 protocol 118 nexthop via 203.0.113.8 dev vxlan228 nexthop via 203.0.113.9 dev vxlan228",
    "add 203.0.113.0/24 dev vxlan228 table 228 protocol 118 metric 3",
  ].map((form) => ({ what: `a form of our route that we never write: ${form}`, command: `ip route ${form}` })),
  ...[
    "add default via fe80::9 dev vxlan228 table 228 protocol 118 metric 5",
    "append default via fe80::9 dev vxlan228 table 228 protocol 118",
    "replace default via fe80::1 dev vxlan228 table 228 protocol 118 mtu 1400",
    "append unreachable default table 228 protocol 118",
  ].map((form) => ({ what: `a form of our IPv6 route that we never write: ${form}`, command: `ip -6 route ${form}` })),
];

const ruleForms: readonly Damage[] = [
  ...["iif eth0", "tos 0x10", "ipproto tcp dport 80", "suppress_prefixlength 0", "uidrange 5-7", "realms 4"].map(
    (more) => `from 203.0.113.0/24 ${more} lookup 228`,
  ),
  "not from 203.0.113.0/24 lookup 228",
  "from 203.0.113.7/24 lookup 228",
  "from 203.0.113.0/24 goto 32766",
  "from 203.0.113.0/24 prohibit",
  "l3mdev",
].map((form) => ({
  what: `a form of our rule that we never write, before ours and in its place: ${form}`,
  command:
    "ip rule del priority 4016 from 203.0.113.0/24 lookup 228 protocol 118; " +
    `ip rule add priority 4016 ${form} protocol 118`,
}));

/** Its MTU is set, or it would follow that of its ports. */
const foreignBridge = ["link add br9 address 02:00:00:00:00:b9 type bridge", "link set br9 mtu 1400"];

const interfaceDamages: readonly Damage[] = [
  { what: "the interface", command: "ip link del vxlan228" },
  { what: "the interface's state (set down)", command: "ip link set vxlan228 down" },
  { what: "the routes, by a flap of the interface", command: "ip link set vxlan228 down; ip link set vxlan228 up" },
  { what: "the MTU", command: "ip link set vxlan228 mtu 1400" },
  { what: "the alias", command: "ip link set vxlan228 alias mine" },
  { what: "the group, which marks it as ours", command: "ip link set vxlan228 group 0" },
  { what: "ARP, switched off", command: "ip link set vxlan228 arp off" },
  { what: "a VTEP to which everything unknown goes", command: "ip link set vxlan228 type vxlan remote 10.0.7.88" },
  { what: "the TTL of the tunnel's packets", command: "ip link set vxlan228 type vxlan ttl 1" },
  { what: "the master", command: "ip link set vxlan228 master br9" },
  { what: "the local address", command: "ip link set vxlan228 type vxlan id 228 local 10.0.7.6" },
  { what: "C11: learning, switched on", command: "ip link set vxlan228 type vxlan id 228 local 10.0.7.5 learning" },
  { what: "the link-local address", command: "ip -6 address flush dev vxlan228" },
  {
    what: "the link-local address, which the kernel does not make any more",
    command:
      "ip link set vxlan228 addrgenmode none; ip link set vxlan228 down; ip link set vxlan228 up; ip link set vxlan228 addrgenmode eui64",
  },
  { what: "C10: the MAC", command: "ip link set vxlan228 address 02:00:00:00:00:99" },
  { what: "a forwarding entry", command: "bridge fdb del 02:00:00:00:00:19 dev vxlan228 dst 10.0.7.19" },
  {
    what: "the VTEP of a forwarding entry",
    command: "bridge fdb replace 02:00:00:00:00:19 dev vxlan228 dst 10.0.7.20 self extern_learn",
  },
  { what: "an entry of the flood list", command: "bridge fdb del 00:00:00:00:00:00 dev vxlan228 dst 10.0.7.20" },
  {
    what: "E1: rules that go while ours are being written",
    command: "ip link del vxlan228; for i in $(seq 20); do ip rule flush protocol 118; sleep 0.01; done",
  },
];

describe("what somebody deletes or changes is put back within a second", () => {
  for (const damages of [ruleDamages, routingDamages, routeForms, ruleForms, interfaceDamages]) {
    describe(damages[0]?.what ?? "", () => {
      let followed: FollowedNode;
      before(async () => {
        followed = await FollowedNode.start(foreignBridge);
      });
      after(() => followed?.end());

      for (const { what, command } of damages) {
        it(what, async () => {
          const took = await followed.repairAfter(command);
          console.log(`${what}: back ${took.toFixed(0)} ms after the command was started`);
          assert.ok(took < longestRepair, `${took} ms`);
        });
      }
    });
  }
});

describe("the rules that are deleted one by one", () => {
  it("are all that the network has", async () => {
    const followed = await FollowedNode.start();
    try {
      for (const family of [4, 6] as const) {
        const printed = await followed.shell(`ip -${family} rule show`);
        const listed = printed.split("\n").filter((line) => line.includes("proto 118"));
        assert.deepEqual(
          listed.map((line) => line.replace(":\t", " ").replace(/ proto 118\s*$/, "")).toSorted(),
          rules[family].toSorted(),
        );
      }
    } finally {
      await followed.end();
    }
  });
});
