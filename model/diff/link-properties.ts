/** A setting of an interface that we leave as the kernel makes it. */
export interface LinkProperty {
  readonly name: string;
  /** Where iproute2 prints it and takes it: of any interface, of its kind, or of the port of a bridge. */
  readonly of: LinkPart;
  /** In the JSON of `ip -details link show`. */
  readonly key: string;
  /** `key` holds a list of words, and this is one of them. */
  readonly member?: string;
  /** What a new interface has. Absent: the key is there only where somebody has set it. Where it has a value, a kernel or iproute2 without the key is none that anybody changed. */
  readonly wanted?: unknown;
  /** After `ip link set dev …`, for `vxlan`, `bridge`, … after its `type`. Absent: the kernel changes it at no interface that is there. */
  readonly words?: string;
  /** The kernel changes it by itself where the interface, its carrier or its bridge is down. */
  readonly whileUp?: true;
}

export type LinkPart = "device" | "vxlan" | "vlan" | "bridge" | "bridge_slave";

/**
 * What decides which packets arrive, and where. Left alone is what does not:
 * - what costs time or tells programs only: promisc, allmulticast, multicast (ARP and neighbour discovery work without, measured),
 *   txqueuelen (our interfaces have no queue), gso_max_*, gro_max_*, mode dormant, l2miss, l3miss, reserved_bits;
 * - what works on STP alone, which is off: priority, cost, forward_delay, hello_time, max_age, group_address, guard, root_block;
 * - what works on VLANs of a bridge alone, which is off: vlan_protocol, vlan_default_pvid, mcast_vlan_snooping;
 * - timers and limits of multicast snooping, and nf_call_* of a bridge, with which our rules hold as well as without;
 * - qos maps of a VLAN interface, which set a priority in the tag and nothing else.
 */
export const linkProperties = [
  // Asks no host for its MAC, or asks nobody.
  { name: "noArp", of: "device", key: "flags", member: "NOARP", wanted: false, words: "arp on" },
  {
    name: "broadcast",
    of: "device",
    key: "broadcast",
    wanted: "ff:ff:ff:ff:ff:ff",
    words: "broadcast ff:ff:ff:ff:ff:ff",
  },
  // Takes the carrier away.
  { name: "proto_down", of: "device", key: "proto_down", words: "protodown off" },

  // Floods to a VTEP or group of its own, and sends unknown MACs there.
  { name: "remote", of: "vxlan", key: "remote", words: "remote 0.0.0.0" },
  { name: "remote6", of: "vxlan", key: "remote6", words: "remote ::" },
  { name: "group", of: "vxlan", key: "group", words: "remote 0.0.0.0" },
  { name: "group6", of: "vxlan", key: "group6", words: "remote ::" },
  // Ends the tunnel's packets on their way, moves them into another class there, or forbids the fragments that small underlays need.
  { name: "ttl", of: "vxlan", key: "ttl", wanted: 0, words: "ttl auto" },
  { name: "tos", of: "vxlan", key: "tos", words: "tos 0" },
  { name: "df", of: "vxlan", key: "df", wanted: "unset", words: "df unset" },
  { name: "label", of: "vxlan", key: "label", words: "flowlabel 0" },
  // Forgets learned MACs sooner or never.
  { name: "ageing", of: "vxlan", key: "ageing", wanted: 300, words: "ageing 300" },
  // Binds the tunnel to one interface and its MTU, which the kernel undoes for nobody.
  { name: "link", of: "vxlan", key: "link" },
  // Sends from few ports, by which routers spread the tunnels' packets (RFC 7348 section 5).
  { name: "port_range", of: "vxlan", key: "port_range", wanted: { low: 0, high: 0 } },
  // Answers ARP from the node's own neighbour table, or routes where it should bridge.
  { name: "proxy", of: "vxlan", key: "proxy", wanted: false },
  { name: "rsc", of: "vxlan", key: "rsc", wanted: false },
  // Takes no further forwarding entries.
  { name: "limit", of: "vxlan", key: "limit" },
  // Sends what other VTEPs drop. What is received with a flag needs a socket of its own: beside it no other network has the UDP port.
  { name: "udp_csum", of: "vxlan", key: "udp_csum", wanted: true },
  { name: "udp_zero_csum6_tx", of: "vxlan", key: "udp_zero_csum6_tx", wanted: false },
  { name: "udp_zero_csum6_rx", of: "vxlan", key: "udp_zero_csum6_rx", wanted: false },
  { name: "remcsum_tx", of: "vxlan", key: "remcsum_tx", wanted: false },
  { name: "remcsum_rx", of: "vxlan", key: "remcsum_rx", wanted: false },
  { name: "gbp", of: "vxlan", key: "gbp" },

  // Leaves the tag in the packet.
  { name: "reorder_hdr", of: "vlan", key: "flags", member: "REORDER_HDR", wanted: true, words: "reorder_hdr on" },
  // Announces the VLAN to the switch.
  { name: "gvrp", of: "vlan", key: "flags", member: "GVRP", wanted: false, words: "gvrp off" },
  { name: "mvrp", of: "vlan", key: "flags", member: "MVRP", wanted: false, words: "mvrp off" },
  // Stays up over a parent that is down, or goes down with the ports of a bridge below it.
  {
    name: "loose_binding",
    of: "vlan",
    key: "flags",
    member: "LOOSE_BINDING",
    wanted: false,
    words: "loose_binding off",
  },
  {
    name: "bridge_binding",
    of: "vlan",
    key: "flags",
    member: "BRIDGE_BINDING",
    wanted: false,
    words: "bridge_binding off",
  },

  // Blocks ports, and sends BPDUs to the fabric.
  { name: "stp_state", of: "bridge", key: "stp_state", wanted: 0, words: "stp_state 0" },
  // Forgets the machines behind its ports, which the fabric then loses. Hundredths of a second.
  { name: "ageing_time", of: "bridge", key: "ageing_time", wanted: 30000, words: "ageing_time 30000" },
  // Keeps MACs by VLAN, beside which our entries are none.
  { name: "vlan_filtering", of: "bridge", key: "vlan_filtering", wanted: 0, words: "vlan_filtering 0" },
  { name: "mcast_snooping", of: "bridge", key: "mcast_snooping", wanted: 1, words: "mcast_snooping 1" },
  // Speaks as a multicast router in the public segment.
  { name: "mcast_querier", of: "bridge", key: "mcast_querier", wanted: 0, words: "mcast_querier 0" },
  // Lets LLDP, LACP and 802.1X pass, which end at the first bridge (IEEE 802.1D section 7.12.6).
  { name: "group_fwd_mask", of: "bridge", key: "group_fwd_mask", wanted: "0", words: "group_fwd_mask 0" },

  // What the kernel gives a new port (br_if.c: BR_LEARNING | BR_FLOOD | BR_MCAST_FLOOD | BR_BCAST_FLOOD).
  { name: "flood", of: "bridge_slave", key: "flood", wanted: true, words: "flood on" },
  { name: "mcast_flood", of: "bridge_slave", key: "mcast_flood", wanted: true, words: "mcast_flood on" },
  { name: "bcast_flood", of: "bridge_slave", key: "bcast_flood", wanted: true, words: "bcast_flood on" },
  { name: "isolated", of: "bridge_slave", key: "isolated", wanted: false, words: "isolated off" },
  { name: "locked", of: "bridge_slave", key: "locked", wanted: false, words: "locked off" },
  { name: "hairpin", of: "bridge_slave", key: "hairpin", wanted: false, words: "hairpin off" },
  { name: "neigh_suppress", of: "bridge_slave", key: "neigh_suppress", wanted: false, words: "neigh_suppress off" },
  { name: "proxy_arp", of: "bridge_slave", key: "proxy_arp", wanted: false, words: "proxy_arp off" },
  { name: "proxy_arp_wifi", of: "bridge_slave", key: "proxy_arp_wifi", wanted: false, words: "proxy_arp_wifi off" },
  { name: "vlan_tunnel", of: "bridge_slave", key: "vlan_tunnel", wanted: false, words: "vlan_tunnel off" },
  {
    name: "mcast_to_unicast",
    of: "bridge_slave",
    key: "mcast_to_unicast",
    wanted: false,
    words: "mcast_to_unicast off",
  },
  { name: "multicast_router", of: "bridge_slave", key: "multicast_router", wanted: 1, words: "mcast_router 1" },
  { name: "fastleave", of: "bridge_slave", key: "fastleave", wanted: false, words: "fastleave off" },
  { name: "port_fwd_mask", of: "bridge_slave", key: "group_fwd_mask", wanted: "0", words: "group_fwd_mask 0" },
  { name: "state", of: "bridge_slave", key: "state", wanted: "forwarding", words: "state 3", whileUp: true },
] as const satisfies readonly LinkProperty[];

/** Names the property that somebody has changed. */
export type LinkStray = (typeof linkProperties)[number]["name"];
