import { passwordDirectory } from "../kubernetes/agent-files.js";
import { cnis } from "../numbers/cni.js";
import {
  allowOwnAsRange,
  announceIntervalRange,
  bfdIntervalRange,
  bfdMultiplierRange,
  gobgpPortRange,
  holdTimeRange,
  mtuRange,
  routeLimitRange,
  tableRange,
  ttlSecurityRange,
  udpPortRange,
  vlanIdRange,
  vniRange,
} from "../numbers/limits.js";
import { asnForms } from "./asn.js";
import type { Path } from "./finding.js";

const number = (range: { readonly minimum: number; readonly maximum: number }) =>
  `a whole number from ${range.minimum} to ${range.maximum}`;

/** What to write, by path in the normal form without list positions. */
const help: Readonly<Record<string, string>> = {
  "": "a mapping with podNetworks and networks",
  podNetworks: "a list of prefixes such as [10.244.0.0/16, 10.96.0.0/16], or [] where there are no pods",
  cni: `one of ${cnis.join(", ")}, or nothing where it is another`,
  networks: "a list of networks, or [] to remove every network",
  name: "a name such as vxlan228",
  type: "vxlan or vlan",
  nodeSelector: "a mapping of node labels to their values",
  segmentFilter: "on or off",
  vxlan: "a mapping with vni, nodeNet and bgp or remotes",
  "vxlan.vni": number(vniRange),
  "vxlan.nodeNet": "the prefix of the nodes' own addresses, such as 10.0.7.0/24",
  "vxlan.nodeInterface": "the name of the interface that carries the node's address",
  "vxlan.port": number(udpPortRange),
  "vxlan.mtu": number(mtuRange),
  "vxlan.bridge": "true or false",
  "vxlan.txChecksum": "on or off",
  "vxlan.remotes": "a list of at least one VTEP address",
  "vxlan.bgp": "a mapping with myAsn, peerAsn and peers",
  "vxlan.bgp.myAsn": asnForms,
  "vxlan.bgp.peerAsn": asnForms,
  "vxlan.bgp.peers": "a list of at least one address such as [10.0.7.19, 10.0.7.20]",
  "vxlan.bgp.holdTime": `${number(holdTimeRange)}, in seconds`,
  "vxlan.bgp.sourceAddress":
    "an address such as 10.255.0.5, or the prefix in which each node has one, such as 10.255.0.0/24",
  "vxlan.bgp.passwordFile": `the absolute path of a file that holds the password, such as ${passwordDirectory}/fabric`,
  "vxlan.bgp.listen": "on or off",
  "vxlan.bgp.ttlSecurity": `${number(ttlSecurityRange)}, the hops to the peer with itself counted`,
  "vxlan.bgp.allowOwnAs": `${number(allowOwnAsRange)}, the times that myAsn may stand in a path`,
  "vxlan.bgp.maxRoutes": `${number(routeLimitRange)}, for each peer`,
  "vxlan.bgp.maxMacs": `${number(routeLimitRange)}, for the network`,
  "vxlan.bgp.bfd": "true, false or a mapping with minTxInterval, minRxInterval, multiplier and multihop",
  "vxlan.bgp.bfd.enabled": "true or false",
  "vxlan.bgp.bfd.minTxInterval": `${number(bfdIntervalRange)}, in milliseconds`,
  "vxlan.bgp.bfd.minRxInterval": `${number(bfdIntervalRange)}, in milliseconds`,
  "vxlan.bgp.bfd.multiplier": `${number(bfdMultiplierRange)}, the packets that may be missing in a row`,
  "vxlan.bgp.bfd.multihop": "true or false",
  "vxlan.bgp.routeTarget": "ASN:NUMBER in quotes, or rfc8365 or frr for their automatic forms",
  "vxlan.bgp.importRouteTargets": "a list of at least one ASN:NUMBER in quotes",
  "vxlan.bgp.routeDistinguisher": "ADDRESS:NUMBER in quotes",
  "vxlan.bgp.routerId": "four decimal numbers such as 10.0.7.5",
  "vxlan.bgp.gobgpPort": number(gobgpPortRange),
  vlan: "a mapping with parent and id",
  "vlan.parent": "the name of the interface under the VLAN, such as bond0",
  "vlan.id": number(vlanIdRange),
  "vlan.mtu": number(mtuRange),
  routing: "a mapping with cidr and gateway, or a list of such mappings",
  "routing.cidr": "the public prefix, such as 203.0.113.0/24",
  "routing.gateway": "the provider's router on the segment, such as 203.0.113.1",
  "routing.table": number(tableRange),
  "routing.onlink": "true or false",
  "routing.returnPath": "auto, source or mark",
  "routing.replaces": "the name of the network that has had the prefix",
  "routing.arpAnnouncer": "true, false or a mapping with interval",
  "routing.arpAnnouncer.enabled": "true or false",
  "routing.arpAnnouncer.interval": `${number(announceIntervalRange)}, in seconds`,
  "routing.staticAddresses": "a list of at least one mapping with address and node",
  "routing.staticAddresses.address": "an address of the subnet, such as 203.0.113.10",
  "routing.staticAddresses.node": "the name of a node, such as gw1",
};

const itemHelp: Readonly<Record<string, string>> = {
  networks: "a mapping with type, vxlan or vlan, and routing",
  podNetworks: "a prefix such as 10.244.0.0/16",
  "vxlan.remotes": "an address such as 10.0.7.6",
  "vxlan.bgp.peers": "an address such as 10.0.7.19",
  "vxlan.bgp.importRouteTargets": "ASN:NUMBER in quotes",
  "routing.staticAddresses": "a mapping with address and node",
};

/** Keys of the document itself; all others belong to a network. */
const documentKeys = ["cni", "networks", "podNetworks"];

/** Where any text will do, such as a label's value. */
export const anyText = "a text";

/** What to write at a path in the normal form of a configuration, as the end of a sentence. */
export function fieldHelp(path: Path): string {
  const place = placeOf(path);
  const isItem = typeof path.at(-1) === "number";
  return (isItem ? itemHelp[place] : undefined) ?? help[place] ?? anyText;
}

/** Keys that may stand in the mapping at a path. */
export function knownKeys(path: Path, type: unknown): readonly string[] {
  if (path.length === 0) return documentKeys;
  const place = placeOf(path);
  const inside = place === "networks" ? "" : `${place}.`;
  const other = type === "vxlan" ? "vlan" : type === "vlan" ? "vxlan" : undefined;
  return Object.keys(help)
    .filter((key) => key.startsWith(inside) && key !== "" && !key.slice(inside.length).includes("."))
    .map((key) => key.slice(inside.length))
    .filter((key) => inside !== "" || (!documentKeys.includes(key) && key !== other));
}

/** `vxlan.bgp.peers` of `networks[3].vxlan.bgp.peers[1]`; `networks` for a whole network. */
export function placeOf(path: Path): string {
  const inside = path[0] === "networks" && path.length > 2 ? path.slice(2) : path;
  return inside.filter((step) => typeof step === "string").join(".");
}
