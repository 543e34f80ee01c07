import type { LinkStray } from "../../model/index.js";

/** One property of an interface, changed by hand. */
export interface LinkDamage {
  readonly property: LinkStray;
  /** What iproute2 6.1 prints of it then, laid over what it prints of a new interface. */
  readonly printed: object;
  /** After `ip link set dev …`; for one that the kernel changes at no interface that is there, the option of its creation. */
  readonly words: string;
  /** What puts it back, in the same form; absent where the interface is made again. */
  readonly repair?: string;
}

/** Of any interface. */
export const deviceDamages: readonly LinkDamage[] = [
  {
    property: "noArp",
    printed: { flags: ["BROADCAST", "NOARP", "UP", "LOWER_UP"] },
    words: "arp off",
    repair: "arp on",
  },
  {
    property: "broadcast",
    printed: { broadcast: "00:00:00:00:00:01" },
    words: "broadcast 00:00:00:00:00:01",
    repair: "broadcast ff:ff:ff:ff:ff:ff",
  },
  { property: "proto_down", printed: { proto_down: true }, words: "protodown on", repair: "protodown off" },
];

/** Of a VXLAN interface over IPv4; `words` follow its id, local address and learning. */
export const tunnelDamages: readonly LinkDamage[] = [
  { property: "remote", printed: { remote: "10.0.7.88" }, words: "remote 10.0.7.88", repair: "remote 0.0.0.0" },
  { property: "ttl", printed: { ttl: 3 }, words: "ttl 3", repair: "ttl auto" },
  { property: "tos", printed: { tos: "0x10" }, words: "tos 0x10", repair: "tos 0" },
  { property: "df", printed: { df: "set" }, words: "df set", repair: "df unset" },
  { property: "ageing", printed: { ageing: 10 }, words: "ageing 10", repair: "ageing 300" },
];

/** Of a VXLAN interface: what only its creation decides. */
export const creationDamages: readonly LinkDamage[] = [
  { property: "link", printed: { link: "eth0" }, words: "dev eth0" },
  { property: "port_range", printed: { port_range: { low: 5000, high: 6000 } }, words: "srcport 5000 6000" },
  { property: "proxy", printed: { proxy: true }, words: "proxy" },
  { property: "rsc", printed: { rsc: true }, words: "rsc" },
  { property: "limit", printed: { limit: 1 }, words: "maxaddress 1" },
  { property: "udp_csum", printed: { udp_csum: false }, words: "noudpcsum" },
  { property: "udp_zero_csum6_tx", printed: { udp_zero_csum6_tx: true }, words: "udp6zerocsumtx" },
  { property: "udp_zero_csum6_rx", printed: { udp_zero_csum6_rx: true }, words: "udp6zerocsumrx" },
  { property: "remcsum_tx", printed: { remcsum_tx: true }, words: "remcsumtx" },
  { property: "remcsum_rx", printed: { remcsum_rx: true }, words: "remcsumrx" },
  { property: "gbp", printed: { gbp: null }, words: "gbp" },
];

/** Of a VXLAN interface over IPv4 with a multicast group, and of one over IPv6. */
export const groupDamages: readonly LinkDamage[] = [
  { property: "group", printed: { group: "239.1.1.1" }, words: "group 239.1.1.1", repair: "remote 0.0.0.0" },
];
export const ipv6TunnelDamages: readonly LinkDamage[] = [
  { property: "remote6", printed: { remote6: "fd00:7::88" }, words: "remote fd00:7::88", repair: "remote ::" },
  { property: "group6", printed: { group6: "ff05::100" }, words: "group ff05::100", repair: "remote ::" },
  { property: "label", printed: { label: "0x5" }, words: "flowlabel 5", repair: "flowlabel 0" },
];

/** Of a bridge, after `type bridge`. */
export const bridgeDamages: readonly LinkDamage[] = [
  { property: "stp_state", printed: { stp_state: 1 }, words: "stp_state 1", repair: "stp_state 0" },
  { property: "ageing_time", printed: { ageing_time: 100 }, words: "ageing_time 100", repair: "ageing_time 30000" },
  { property: "mcast_snooping", printed: { mcast_snooping: 0 }, words: "mcast_snooping 0", repair: "mcast_snooping 1" },
  { property: "mcast_querier", printed: { mcast_querier: 1 }, words: "mcast_querier 1", repair: "mcast_querier 0" },
  {
    property: "group_fwd_mask",
    printed: { group_fwd_mask: "0x8" },
    words: "group_fwd_mask 8",
    repair: "group_fwd_mask 0",
  },
];

/** A kernel without CONFIG_BRIDGE_VLAN_FILTERING lacks it. */
export const vlanFilteringDamage: LinkDamage = {
  property: "vlan_filtering",
  printed: { vlan_filtering: 1 },
  words: "vlan_filtering 1",
  repair: "vlan_filtering 0",
};

/** Of the port of a bridge, after `type bridge_slave`. */
export const portDamages: readonly LinkDamage[] = [
  { property: "flood", printed: { flood: false }, words: "flood off", repair: "flood on" },
  { property: "mcast_flood", printed: { mcast_flood: false }, words: "mcast_flood off", repair: "mcast_flood on" },
  { property: "bcast_flood", printed: { bcast_flood: false }, words: "bcast_flood off", repair: "bcast_flood on" },
  { property: "isolated", printed: { isolated: true }, words: "isolated on", repair: "isolated off" },
  { property: "locked", printed: { locked: true }, words: "locked on", repair: "locked off" },
  { property: "hairpin", printed: { hairpin: true }, words: "hairpin on", repair: "hairpin off" },
  {
    property: "neigh_suppress",
    printed: { neigh_suppress: true },
    words: "neigh_suppress on",
    repair: "neigh_suppress off",
  },
  { property: "proxy_arp", printed: { proxy_arp: true }, words: "proxy_arp on", repair: "proxy_arp off" },
  {
    property: "proxy_arp_wifi",
    printed: { proxy_arp_wifi: true },
    words: "proxy_arp_wifi on",
    repair: "proxy_arp_wifi off",
  },
  { property: "vlan_tunnel", printed: { vlan_tunnel: true }, words: "vlan_tunnel on", repair: "vlan_tunnel off" },
  {
    property: "mcast_to_unicast",
    printed: { mcast_to_unicast: true },
    words: "mcast_to_unicast on",
    repair: "mcast_to_unicast off",
  },
  { property: "multicast_router", printed: { multicast_router: 0 }, words: "mcast_router 0", repair: "mcast_router 1" },
  { property: "fastleave", printed: { fastleave: true }, words: "fastleave on", repair: "fastleave off" },
  {
    property: "port_fwd_mask",
    printed: { group_fwd_mask: "0x8", group_fwd_mask_str: "0x8" },
    words: "group_fwd_mask 8",
    repair: "group_fwd_mask 0",
  },
  { property: "state", printed: { state: "listening" }, words: "state 1", repair: "state 3" },
];

/** Of a VLAN interface, after `type vlan`. */
export const vlanDamages: readonly LinkDamage[] = [
  { property: "reorder_hdr", printed: { flags: undefined }, words: "reorder_hdr off", repair: "reorder_hdr on" },
  { property: "gvrp", printed: { flags: ["REORDER_HDR", "GVRP"] }, words: "gvrp on", repair: "gvrp off" },
  { property: "mvrp", printed: { flags: ["REORDER_HDR", "MVRP"] }, words: "mvrp on", repair: "mvrp off" },
  {
    property: "loose_binding",
    printed: { flags: ["REORDER_HDR", "LOOSE_BINDING"] },
    words: "loose_binding on",
    repair: "loose_binding off",
  },
  {
    property: "bridge_binding",
    printed: { flags: ["REORDER_HDR", "BRIDGE_BINDING"] },
    words: "bridge_binding on",
    repair: "bridge_binding off",
  },
];
