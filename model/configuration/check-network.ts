import { parseAddress } from "../address/address.js";
import { containsAddress, isEdge, overlaps, parseAddressOrPrefix, parsePrefix } from "../address/prefix.js";
import { isLinkLocal, parseHostPrefix, specialRangeIn, specialRangeOf } from "../address/special-purpose.js";
import { ipv6MinimumMtu, mtuRange } from "../numbers/limits.js";
import { largestTwoByteAsn } from "../numbers/route-targets.js";
import { reservedTables, segmentId } from "../numbers/routing-table.js";
import { cniFindings } from "./check-cni.js";
import { checkHosts, type SendingPrefix } from "./check-hosts.js";
import { checkStaticAddresses } from "./check-static-addresses.js";
import type { Bgp, RouterSpec, Routing, Vxlan } from "./configuration.js";
import type { Finding, Path } from "./finding.js";
import type { UnnamedNetwork } from "./schema.js";
import { segmentPath } from "./segment-path.js";
import { ipv6Prefixes } from "./smallest-mtu.js";
import { isUnknown } from "./unknown-value.js";

/**
 * What is wrong inside one network, beyond single values. Values that are unknown or wrong by themselves are passed over:
 * every check looks at what it can use, so that all mistakes come out of one run.
 */
export function checkNetwork(network: UnnamedNetwork, { podNetworks, cni }: RouterSpec): readonly Finding[] {
  return [
    ...network.routing.flatMap((routing, index) => [
      ...checkPrefix(routing, ["routing", index], podNetworks),
      ...checkGateway(routing, ["routing", index]),
      ...checkStaticAddresses(routing, ["routing", index]),
    ]),
    ...reservedTableFindings(network),
    ...mtuFindings(network),
    ...(cni === undefined || isUnknown(cni) ? [] : cniFindings(network, cni)),
    ...(network.type === "vxlan" ? checkVxlan(network.vxlan) : []),
  ];
}

/** What cannot be the prefix of hosts: of customers, nodes or pods. */
export function checkHostPrefix(text: string, path: Path, remedy: string): readonly Finding[] {
  const prefix = parsePrefix(text);
  const range = prefix === undefined ? undefined : specialRangeIn(prefix);
  if (range === undefined) return [];
  return [{ code: "NotUnicast", path, value: text, message: `overlaps ${range}, where no host can be`, remedy }];
}

function checkPrefix(routing: Routing, path: Path, podNetworks: readonly string[]): readonly Finding[] {
  const prefix = parseHostPrefix(routing.cidr);
  if (prefix === undefined) return checkHostPrefix(routing.cidr, [...path, "cidr"], "write the provider's subnet");
  const pods = podNetworks.find((text) => {
    const podNetwork = parseHostPrefix(text);
    return podNetwork !== undefined && overlaps(podNetwork, prefix);
  });
  if (pods === undefined) return [];
  return [
    {
      code: "OverlapsPodNetwork",
      path: [...path, "cidr"],
      value: routing.cidr,
      message: `overlaps the pod network ${pods}: its traffic would stay in the main table`,
      remedy: "one of the two is wrong",
    },
  ];
}

function checkGateway(routing: Routing, path: Path): readonly Finding[] {
  const prefix = parseHostPrefix(routing.cidr);
  const gateway = parseAddress(routing.gateway);
  if (gateway === undefined) return [];
  const finding = (code: Finding["code"], message: string, remedy: string): Finding[] => [
    { code, path: [...path, "gateway"], value: routing.gateway, message, remedy },
  ];
  if (prefix !== undefined && prefix.family !== gateway.family) {
    return finding("FamilyMismatch", `is not of the family of ${routing.cidr}`, "write a gateway of the same family");
  }
  // The default route always names its interface, so a link-local router is as good as any (RFC 4861 section 6.3.4).
  if (gateway.family === 6 && isLinkLocal(gateway)) return [];
  // RFC 3927 addresses are used for routers outside the prefix, with onlink as any other.
  const range = isLinkLocal(gateway) ? undefined : specialRangeOf(gateway);
  if (range !== undefined) {
    // Written for a cidr of that range, which is told of: another one takes another gateway.
    const written = parsePrefix(routing.cidr);
    if (written !== undefined && specialRangeIn(written) === range) return [];
    const message = `lies in ${range}, where no router can be`;
    return finding("NotUnicast", message, "write the provider's router on the segment");
  }
  if (prefix === undefined) return [];
  if (!containsAddress(prefix, gateway)) {
    if (routing.onlink || isUnknown(routing.onlink)) return [];
    return finding(
      "GatewayOutsidePrefix",
      `is not inside ${routing.cidr}`,
      "set routing.onlink if the router is reachable on this segment",
    );
  }
  if (isEdge(prefix, gateway)) {
    return finding(
      "GatewayIsNetworkAddress",
      `is the network or broadcast address of ${routing.cidr}`,
      "write the router's address",
    );
  }
  return [];
}

function reservedTableFindings(network: UnnamedNetwork): readonly Finding[] {
  const segment = segmentId(network);
  const reserved = reservedTables.get(segment);
  const bySegment = network.routing.some(({ table }) => table === undefined);
  if (reserved === undefined || segment === 0 || !bySegment) return [];
  const place = { path: segmentPath(network), value: segment };
  return [{ code: "ReservedTable", ...place, message: `is ${reserved}`, remedy: "set routing.table" }];
}

/** The kernel takes IPv6 away from an interface that carries less, and with it the routes of the subnet. */
function mtuFindings(network: UnnamedNetwork): readonly Finding[] {
  const mtu = network.type === "vxlan" ? network.vxlan.mtu : network.vlan.mtu;
  const [prefix] = ipv6Prefixes(network.routing);
  // What is under the range is told of as such.
  if (mtu === undefined || isUnknown(mtu) || prefix === undefined) return [];
  if (mtu < mtuRange.minimum || mtu >= ipv6MinimumMtu) return [];
  return [
    {
      code: "MtuBelowIpv6",
      path: [network.type, "mtu"],
      value: mtu,
      message: `is less than IPv6 runs on (RFC 8200 section 5), and ${prefix} is a subnet of this network`,
      remedy: `write ${ipv6MinimumMtu} or more, or leave the IPv6 subnet out`,
    },
  ];
}

function checkVxlan(vxlan: Vxlan): readonly Finding[] {
  const nodeNet = parseHostPrefix(vxlan.nodeNet);
  const tunnel = nodeNet === undefined ? undefined : ({ key: "nodeNet", prefix: nodeNet } as const);
  const { remotes, bgp } = vxlan;
  const underlay = "write the prefix of the nodes' addresses in the underlay";
  return [
    ...checkHostPrefix(vxlan.nodeNet, ["vxlan", "nodeNet"], underlay),
    ...(bgp === undefined && remotes === undefined ? [nobodyToFloodTo] : []),
    ...checkHosts(remotes ?? [], ["vxlan", "remotes"], "DuplicateRemote", tunnel),
    ...(bgp === undefined ? [] : checkSessionAddresses(bgp, tunnel)),
    ...(bgp === undefined ? [] : checkBgp(bgp, vxlan)),
  ];
}

/** Sessions come from the tunnel address, or from a declared one, whose family is then theirs. */
function checkSessionAddresses({ peers, sourceAddress }: Bgp, tunnel: SendingPrefix | undefined): readonly Finding[] {
  const checkPeers = (sender: SendingPrefix | undefined) =>
    checkHosts(peers, ["vxlan", "bgp", "peers"], "DuplicatePeer", sender);
  if (sourceAddress === undefined) return checkPeers(tunnel);
  const prefix = parseAddressOrPrefix(sourceAddress);
  const range = prefix === undefined ? undefined : specialRangeIn(prefix);
  if (prefix === undefined || range !== undefined) {
    const place = { path: ["vxlan", "bgp", "sourceAddress"], value: sourceAddress };
    const message = `overlaps ${range}, from where no host can be reached`;
    const remedy = "write an address of the nodes, or its prefix";
    return [
      ...(range === undefined ? [] : [{ code: "NotUnicast" as const, ...place, message, remedy }]),
      ...checkPeers(undefined),
    ];
  }
  return checkPeers({ key: "sourceAddress", prefix });
}

const nobodyToFloodTo: Finding = {
  code: "NobodyToFloodTo",
  path: ["vxlan"],
  message: "without bgp there is nobody to flood to",
  remedy: "write bgp, or remotes: [ADDRESS, …] with the other VTEPs",
};

function checkBgp(bgp: Bgp, vxlan: Vxlan): readonly Finding[] {
  const path: Path = ["vxlan", "bgp"];
  const findings: Finding[] = [...duplicateTargets(bgp.importRouteTargets ?? [], [...path, "importRouteTargets"])];
  // The peer's automatic target is imported; with a list of its own, nothing is derived from the peer's AS.
  const derivedFrom = bgp.importRouteTargets === undefined ? (["myAsn", "peerAsn"] as const) : (["myAsn"] as const);
  const long = derivedFrom.find((key) => bgp[key] > largestTwoByteAsn);
  if (long !== undefined && (bgp.routeTarget === undefined || bgp.routeTarget === "rfc8365")) {
    findings.push({
      code: "AutomaticRouteTarget",
      path: [...path, long],
      value: bgp[long],
      message: "has four bytes, and beside them a VNI does not fit into an automatic route target",
      remedy:
        'set bgp.routeTarget, such as "65001:228", to the one that your fabric uses, or to frr, which keeps the last ' +
        "two bytes of the AS",
    });
  }
  if (vxlan.remotes !== undefined && !vxlan.remotes.every(isUnknown)) {
    findings.push({
      code: "UnusedRemotes",
      path: ["vxlan", "remotes"],
      message: "is not used beside bgp, which learns the other VTEPs from Type-3 routes",
      remedy: "remove remotes or bgp",
    });
  }
  return findings;
}

function duplicateTargets(targets: readonly string[], path: Path): readonly Finding[] {
  const seen = new Map<string, number>();
  return targets.flatMap((target, index): Finding[] => {
    const earlier = seen.get(target);
    if (earlier === undefined) seen.set(target, index);
    if (earlier === undefined || isUnknown(target)) return [];
    const message = `is already importRouteTargets[${earlier}]`;
    return [
      { code: "DuplicateRouteTarget", path: [...path, index], value: target, message, remedy: "remove one of the two" },
    ];
  });
}
