import type { RenderCase } from "./plan-render-case.js";

const bgp = "bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }";

/** The same segments, tables and marks come again with other contents: so that a change of plans meets all of them. */
export const renderCases: readonly RenderCase[] = [
  {
    name: "VXLAN with IPv4",
    yaml: `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${bgp} }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`,
    filter: {
      segment: [
        'iifname "vxlan228" ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop',
        'iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan228" ip6 daddr != ff00::/8 drop',
      ],
      forward: ['iifname "vxlan228" ip daddr 203.0.113.0/24 drop'],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010",
      ],
    },
  },
  {
    name: "an IPv6 subnet beside the IPv4 one, eBGP",
    yaml: `
podNetworks: [10.244.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      mtu: 1400
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65100, peers: [10.0.7.19], routeTarget: "65100:228" }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.254 }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
`,
    filter: {
      segment: [
        'iifname "vxlan228" ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop',
        'iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan228" ip6 daddr != { 2001:db8:228::/64, ff00::/8 } drop',
      ],
      forward: [
        'iifname "vxlan228" ip daddr 203.0.113.0/24 drop',
        'iifname "vxlan228" ip6 daddr 2001:db8:228::/64 drop',
      ],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010',
        'iifname != "vxlan228" ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010",
        "ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010",
      ],
    },
  },
  {
    name: "remotes instead of BGP, a gateway outside the prefix",
    yaml: `
podNetworks: []
networks:
  - name: flooded
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, port: 4790, remotes: [10.0.7.6, 10.0.7.5, 10.0.7.7] }
    routing: { cidr: 198.51.100.64/29, gateway: 192.0.2.1, onlink: true }
`,
    filter: {
      segment: [
        'iifname "vxlan228" ip daddr != { 198.51.100.64/29, 224.0.0.0/4 } drop',
        'iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan228" ip6 daddr != ff00::/8 drop',
      ],
      forward: ['iifname "vxlan228" ip daddr 198.51.100.64/29 drop'],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 198.51.100.64/29 meta mark set meta mark & 0xffffc01f | 0x00000010',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 198.51.100.64/29 meta mark set meta mark & 0xffffc01f | 0x00000010",
      ],
    },
  },
  {
    name: "an IPv6 underlay, the largest numbers",
    yaml: `
podNetworks: [10.244.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vxlan
    vxlan: { vni: 16777215, nodeNet: "2001:db8:7::/64", remotes: ["2001:db8:7::6", "2001:db8:7::7"] }
    routing:
      - { cidr: "2001:db8:228::/64", gateway: "2001:db8:228::1" }
      - { cidr: 203.0.113.0/31, gateway: 203.0.113.0, table: 4294967295, returnPath: source }
`,
    filter: {
      segment: [
        'iifname "vxlan16777215" ip daddr != { 203.0.113.0/31, 224.0.0.0/4 } drop',
        'iifname "vxlan16777215" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan16777215" ip6 daddr != { 2001:db8:228::/64, ff00::/8 } drop',
      ],
      forward: [
        'iifname "vxlan16777215" ip daddr 203.0.113.0/31 drop',
        'iifname "vxlan16777215" ip6 daddr 2001:db8:228::/64 drop',
      ],
      mark_input: [
        'iifname != "vxlan16777215" ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010',
      ],
      mark_output: [
        "ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010",
      ],
    },
  },
  {
    name: "several subnets, each with its own way back",
    yaml: `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${bgp} }
    routing:
      - { cidr: 203.0.113.0/25, gateway: 203.0.113.1, returnPath: mark }
      - { cidr: 203.0.113.128/25, gateway: 203.0.113.129, table: 1228, returnPath: mark }
      - { cidr: 198.51.100.0/24, gateway: 198.51.100.1, table: 2228, returnPath: source }
`,
    filter: {
      // nft joins the two halves of 203.0.113.0/24.
      segment: [
        'iifname "vxlan228" ip daddr != { 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4 } drop',
        'iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan228" ip6 daddr != ff00::/8 drop',
      ],
      forward: ['iifname "vxlan228" ip daddr { 198.51.100.0/24, 203.0.113.0/24 } drop'],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/25 meta mark set meta mark & 0xffffc01f | 0x00000010',
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.128/25 meta mark set meta mark & 0xffffc02f | 0x00000020',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 203.0.113.0/25 meta mark set meta mark & 0xffffc01f | 0x00000010",
        "ct direction reply ct original ip daddr 203.0.113.128/25 meta mark set meta mark & 0xffffc02f | 0x00000020",
      ],
    },
  },
  {
    name: "no segment filter, return by source: nothing for nft",
    yaml: `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    segmentFilter: off
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${bgp} }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, returnPath: source }
`,
    filter: {},
  },
  {
    name: "strict rp_filter, two networks",
    yaml: `
podNetworks: [10.244.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vxlan
    segmentFilter: off
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${bgp} }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1, table: 300 }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
  - type: vxlan
    vxlan: { vni: 300, nodeNet: 10.0.7.0/24, ${bgp} }
    routing: { cidr: 192.0.2.0/25, gateway: 192.0.2.1, table: 228 }
`,
    rpFilterAll: 1,
    filter: {
      segment: [
        'iifname "vxlan300" ip daddr != { 192.0.2.0/25, 224.0.0.0/4 } drop',
        'iifname "vxlan300" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan300" ip6 daddr != ff00::/8 drop',
      ],
      forward: ['iifname "vxlan300" ip daddr 192.0.2.0/25 drop'],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc02f | 0x00000020',
        'iifname "vxlan228" ct direction original ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc02f | 0x00000020',
        'iifname != "vxlan300" ct direction reply ct original ip daddr 192.0.2.0/25 meta mark set meta mark & 0xffffc01f | 0x00000010',
        'iifname "vxlan300" ct direction original ct original ip daddr 192.0.2.0/25 meta mark set meta mark & 0xffffc01f | 0x00000010',
        'iifname != "vxlan228" ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc02f | 0x00000020",
        "ct direction reply ct original ip daddr 192.0.2.0/25 meta mark set meta mark & 0xffffc01f | 0x00000010",
        "ct direction reply ct original ip6 daddr 2001:db8:228::/64 meta mark set meta mark & 0xffffc01f | 0x00000010",
      ],
    },
  },
  {
    name: "the marks that Cilium leaves",
    yaml: `
cni: cilium
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, ${bgp} }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
  - type: vxlan
    vxlan: { vni: 300, nodeNet: 10.0.7.0/24, remotes: [10.0.7.6] }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1 }
`,
    filter: {
      segment: [
        'iifname "vxlan228" ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop',
        'iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan228" ip6 daddr != ff00::/8 drop',
        'iifname "vxlan300" ip daddr != { 198.51.100.0/24, 224.0.0.0/4 } drop',
        'iifname "vxlan300" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept',
        'iifname "vxlan300" ip6 daddr != ff00::/8 drop',
      ],
      forward: ['iifname "vxlan228" ip daddr 203.0.113.0/24 drop', 'iifname "vxlan300" ip daddr 198.51.100.0/24 drop'],
      mark_input: [
        'iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffdfff | 0x00001000',
        'iifname != "vxlan300" ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark & 0xffffefff | 0x00002000',
      ],
      mark_output: [
        "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffdfff | 0x00001000",
        "ct direction reply ct original ip daddr 198.51.100.0/24 meta mark set meta mark & 0xffffefff | 0x00002000",
      ],
    },
  },
];
