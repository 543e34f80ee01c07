import { passwordDirectory } from "../kubernetes/agent-files.js";
import { defaultMacLimit, defaultRouteLimit, vxlanOverhead } from "../numbers/limits.js";

/**
 * What each field means, by its place in the normal form without list positions (a network's fields without `networks`).
 * Editors show it beside the file, `kubectl explain` beside the objects.
 */
const descriptions: Readonly<Record<string, string>> = {
  podNetworks:
    "Pod and service networks of the cluster. Traffic between them and a public address stays in the main routing " +
    "table. [] where there are no pods.",
  cni:
    "What the cluster's pods are networked with. Its table numbers, tunnels and packet marks are left to it, and " +
    "networks that would take them are refused.",
  networks: "The public networks, one segment each. [] removes every network.",
  name: "Name of the network, a DNS label. The name of its interface (vxlan228, vlan220) when absent.",
  type: "How the segment reaches the node: vxlan through a tunnel, vlan through a tagged interface.",
  nodeSelector: "Labels of the nodes that carry the network. Every node when absent.",
  segmentFilter:
    "Drops what enters from the segment for a destination outside the network's prefixes. On when absent; off where " +
    "the CNI translates addresses on this interface.",
  vxlan: "The VXLAN segment (RFC 7348). Required with type vxlan, and only there.",
  "vxlan.vni": "VXLAN network identifier. It is the number of the routing table too, unless routing.table is given.",
  "vxlan.nodeNet": "Prefix in which each node finds its own tunnel address (VTEP), such as 10.0.7.0/24.",
  "vxlan.nodeInterface": "Interface that carries the node's tunnel address, where several have one in nodeNet.",
  "vxlan.port": "UDP port of the tunnel, the same on all VTEPs.",
  "vxlan.mtu": `MTU of the interface in bytes. The underlay's less ${vxlanOverhead[4]} (${vxlanOverhead[6]} over IPv6) when absent.`,
  "vxlan.bridge":
    "Makes the VXLAN interface the port of a bridge (br228), which then carries routes and addresses: for virtual " +
    "machines in the segment. Off when absent.",
  "vxlan.txChecksum":
    "Transmit checksum offload of the VXLAN interface, set at each creation and put right when somebody changes it. off where " +
    "a network card or hypervisor below damages the checksums of what is inside the tunnel. When absent it is as the kernel " +
    "makes it (on), and is not looked at: write on to take an earlier off back.",
  "vxlan.remotes":
    "Addresses of the other VTEPs, for a network without bgp: it floods to them and learns MAC addresses.",
  "vxlan.bgp": "BGP sessions that learn and announce the segment's MAC and IP addresses (EVPN, RFC 8365).",
  "vxlan.bgp.myAsn": "AS number of the nodes.",
  "vxlan.bgp.peerAsn": "AS number of the peers; equal to myAsn with iBGP.",
  "vxlan.bgp.peers":
    "Addresses of the route reflectors or switches. A node that is itself one of them leaves itself out.",
  "vxlan.bgp.holdTime": "Seconds without a message after which a session counts as dead (RFC 4271).",
  "vxlan.bgp.sourceAddress":
    "Address that the sessions come from, or the prefix in which each node finds its own, such as 10.255.0.0/24 for " +
    "loopback addresses. Routes keep the tunnel address as their next hop. The tunnel address when absent.",
  "vxlan.bgp.passwordFile":
    "File on the node whose content, up to a line break at its end, signs the sessions (TCP MD5, RFC 2385), 1 to 80 bytes. " +
    "It is read at each connection. In a cluster the keys of the Secret that VlanRouter's bgpPasswordSecret names are files " +
    `in ${passwordDirectory}. Sessions are not signed when absent.`,
  "vxlan.bgp.listen":
    "Whether the peers may open the sessions too, on TCP port 179 of the node's local address. Port 179 may belong to " +
    "another BGP speaker of the node. Only the node opens them when absent.",
  "vxlan.bgp.ttlSecurity":
    "How many hops away the peers may be, themselves counted (RFC 5082): 1 on a shared segment. They need ttl-security " +
    "as well. Any distance when absent.",
  "vxlan.bgp.allowOwnAs":
    "How often myAsn may stand in the AS path of a route that is taken from an external peer, such as 1 where the leaves " +
    "behind a spine have the AS of the nodes (FRR's allowas-in). 0 when absent: such a route counts as a loop.",
  "vxlan.bgp.maxRoutes":
    "Routes of one peer that are kept, those of other networks included (maximum-prefix). The network says so from 75 % on; " +
    `a peer that sends more loses its session for some minutes (RFC 4486). ${defaultRouteLimit} when absent; ` +
    "of networks that share the " +
    "session the largest counts.",
  "vxlan.bgp.maxMacs":
    "MAC addresses of others that the kernel gets. The network says so from 75 % on; frames to those beyond are flooded. " +
    `${defaultMacLimit} when absent.`,
  "vxlan.bgp.bfd":
    "BFD with the peers (RFC 5880, asynchronous mode, without authentication): one that is dead is noticed in under a second " +
    "instead of after the hold time. They need it as well. Off when absent.",
  "vxlan.bgp.bfd.enabled": "Whether BFD runs.",
  "vxlan.bgp.bfd.minTxInterval":
    "Milliseconds between two packets that the node sends. The peer's own receive interval makes it more where that is larger.",
  "vxlan.bgp.bfd.minRxInterval":
    "Milliseconds between two packets that the node wants to receive. The peer sends less often where its own transmit " +
    "interval is larger.",
  "vxlan.bgp.bfd.multiplier":
    "Packets that may be missing in a row. The peer counts by ours: it gives the node up after so many intervals, and the " +
    "node the peer after as many as the peer says.",
  "vxlan.bgp.bfd.multihop":
    "Peers are reached through routers (RFC 5883, UDP port 4784) or on one segment (RFC 5881, UDP port 3784, TTL 255). When " +
    "absent each node takes the latter for peers in a prefix of its interfaces.",
  "vxlan.bgp.routeTarget":
    "Route target of the network as ASN:NUMBER, or a rule to derive it: rfc8365, or frr, which keeps the last two " +
    "bytes of the AS. myAsn:VNI when absent; AS numbers above 65535 need it.",
  "vxlan.bgp.importRouteTargets":
    "Route targets whose routes are taken, as ASN:NUMBER. Our own and the one that the peer derives when absent.",
  "vxlan.bgp.routeDistinguisher":
    "Route distinguisher as ADDRESS:NUMBER. The router id and the VNI's last 16 bits when absent.",
  "vxlan.bgp.routerId":
    "BGP identifier in the form of an IPv4 address (RFC 6286). The tunnel address, or over IPv6 a hash of it, when " +
    "absent; no two nodes may have one.",
  "vxlan.bgp.gobgpPort": "Port on 127.0.0.1 of the GoBGP API. 20000 and the VNI modulo 10000 when absent.",
  vlan: "The VLAN segment (IEEE 802.1Q). Required with type vlan, and only there.",
  "vlan.parent": "Interface under the VLAN: a bond, a network card or a bridge.",
  "vlan.id": "VLAN id. It is the number of the routing table too, unless routing.table is given.",
  "vlan.mtu": "MTU of the interface in bytes. The parent's when absent.",
  routing: "The public subnets of the segment, each with its gateway.",
  "routing.cidr": "The public prefix, without host bits, such as 203.0.113.0/24.",
  "routing.gateway": "The provider's router on the segment; for IPv6 a link-local address will do.",
  "routing.table":
    "Routing table of the subnet. The VNI or VLAN id when absent; a second subnet of one family needs a number of its own.",
  "routing.onlink": "The gateway is reached on the segment although it lies outside the prefix.",
  "routing.returnPath":
    "How replies find the network's table. source: by their source address alone; auto and mark: also by a mark of " +
    "their connection, which replies need that a service proxy translates.",
  "routing.replaces":
    "Name of the network that has had this prefix, for a migration: a node that carries both routes it by this one.",
  "routing.arpAnnouncer": "Periodic announcements (ARP) of the addresses that a node answers for.",
  "routing.arpAnnouncer.enabled": "Whether addresses are announced periodically.",
  "routing.arpAnnouncer.interval":
    "Seconds between announcements of an address. Switches commonly forget a port after 300.",
  "routing.staticAddresses":
    "Addresses of the subnet that one node has, without MetalLB: its agent installs them on the network's interface (as /32 " +
    "or /128) and answers for them.",
  "routing.staticAddresses.address": "An address inside the prefix, not the gateway's.",
  "routing.staticAddresses.node":
    "Name of the node as Kubernetes has it, on a host the agent's node name. A node that does not carry the network does not get it.",
};

/** The places that have a description, for whoever looks for fields that have none. */
export const describedPlaces: readonly string[] = Object.keys(descriptions);

/** Undefined where there is no such field. */
export function fieldDescription(place: string): string | undefined {
  return Object.hasOwn(descriptions, place) ? descriptions[place] : undefined;
}
