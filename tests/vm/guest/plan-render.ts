import { release } from "node:os";
import type { RenderCase } from "../../kernel/plan-render-case.js";
import { describePlanRender } from "../../kernel/plan-render-suite.js";

console.log(`kernel ${release()}`);

/** A second parent beside eth0. */
const underlay = ["link add eth1 type veth peer name far1", "link set eth1 mtu 9000 up"];

const twoFamilies: RenderCase = {
  name: "a VLAN of two families",
  yaml: `
podNetworks: [10.244.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vlan
    vlan: { parent: eth0, id: 220 }
    routing:
      - { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
      - { cidr: "2001:db8:220::/64", gateway: "fe80::1" }
`,
  filter: {
    segment: [
      'iifname "vlan220" ip daddr != { 198.51.100.0/24, 224.0.0.0/4 } drop',
      'iifname "vlan220" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
      'iifname "vlan220" ip6 daddr != { 2001:db8:220::/64, ff00::/8 } drop',
    ],
    forward: ['iifname "vlan220" ip daddr 198.51.100.0/24 drop', 'iifname "vlan220" ip6 daddr 2001:db8:220::/64 drop'],
    mark_input: [
      'iifname != "vlan220" ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010',
      'iifname != "vlan220" ct direction reply ct original ip6 daddr 2001:db8:220::/64 meta mark set meta mark & 0xffffc01f | 0x00000010',
    ],
    mark_output: [
      "ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010",
      "ct direction reply ct original ip6 daddr 2001:db8:220::/64 meta mark set meta mark & 0xffffc01f | 0x00000010",
    ],
  },
  listings: {
    "cat /proc/net/vlan/config":
      "VLAN Dev name\t | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\nvlan220        | 220  | eth0\n",
    "cat /sys/class/net/vlan220/ifalias /sys/class/net/vlan220/mtu": "vlan-router:vlan220\n1600\n",
    "ip -4 route show table 220":
      "default via 198.51.100.1 dev vlan220 proto 118 \n198.51.100.0/24 dev vlan220 proto 118 scope link \n",
    "ip -6 route show table 220":
      "2001:db8:220::/64 dev vlan220 proto 118 metric 1024 pref medium\n" +
      "default via fe80::1 dev vlan220 proto 118 metric 1024 pref medium\n",
    "ip -4 rule show": `\
0:	from all lookup local
3000:	from all to 10.244.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118
3000:	from 198.51.100.0/24 to 10.244.0.0/16 lookup main proto 118
3900:	from all fwmark 0x10/0x3ff0 lookup 220 proto 118
3901:	from all fwmark 0x10/0x3ff0 unreachable proto 118
4016:	from 198.51.100.0/24 lookup 220 proto 118
4017:	from 198.51.100.0/24 unreachable proto 118
32766:	from all lookup main
32767:	from all lookup default
`,
  },
};

const smallerMtu: RenderCase = {
  name: "the same VLAN with a smaller MTU and two tables",
  yaml: `
podNetworks: [10.244.0.0/16]
networks:
  - type: vlan
    segmentFilter: off
    vlan: { parent: eth0, id: 220, mtu: 1400 }
    routing:
      - { cidr: 198.51.100.0/25, gateway: 198.51.100.1, returnPath: source }
      - { cidr: 198.51.100.128/25, gateway: 198.51.100.1, onlink: true, table: 1220, returnPath: source }
`,
  filter: {},
};

const otherParent: RenderCase = {
  name: "the VLAN on another parent, a second one and a VXLAN network",
  yaml: `
podNetworks: [10.244.0.0/16]
networks:
  - type: vlan
    segmentFilter: off
    vlan: { parent: eth1, id: 220 }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.254, table: 228, returnPath: source }
  - type: vlan
    segmentFilter: off
    vlan: { parent: eth0, id: 4094 }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, table: 220, returnPath: source }
  - type: vxlan
    segmentFilter: off
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.6] }
    routing: { cidr: 192.0.2.0/24, gateway: 192.0.2.1, table: 1220, returnPath: source }
`,
  filter: {},
};

/** Not every pair: the emulated kernel takes seconds for each step. */
describePlanRender([undefined, twoFamilies, smallerMtu, otherParent, twoFamilies, undefined], underlay);
