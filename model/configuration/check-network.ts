import { type Address, addressRange, formatAddress, parseAddress } from "../address/address.js";
import {
  containsAddress,
  formatPrefix,
  lastAddress,
  networkOf,
  overlaps,
  type Prefix,
  parsePrefix,
} from "../address/prefix.js";
import type { Family } from "../node-plan/node-plan.js";
import { largestTwoByteAsn } from "../numbers/route-targets.js";
import { reservedTables, segmentId } from "../numbers/routing-table.js";
import { cniFindings } from "./check-cni.js";
import type { Bgp, RouterSpec, Routing, Vxlan } from "./configuration.js";
import type { Finding, Path } from "./finding.js";
import type { UnnamedNetwork } from "./schema.js";
import { isUnknown } from "./unknown-value.js";

/**
 * What is wrong inside one network, beyond single values. Values that are unknown or wrong by themselves are passed over:
 * every check looks at what it can use, so that all mistakes come out of one run.
 */
export function checkNetwork(network: UnnamedNetwork, { podNetworks, cni }: RouterSpec): readonly Finding[] {
  const publicPrefixes = network.routing.flatMap(({ cidr }) => parsePrefix(cidr) ?? []);
  return [
    ...network.routing.flatMap((routing, index) => [
      ...checkPrefix(routing, ["routing", index], podNetworks),
      ...checkGateway(routing, ["routing", index]),
    ]),
    ...checkTables(network),
    ...(cni === undefined || isUnknown(cni) ? [] : cniFindings(network, cni)),
    ...(network.type === "vxlan" ? checkVxlan(network.vxlan, publicPrefixes) : []),
  ];
}

/** Ranges of IANA's special-purpose registries that no host can own; private ones are fine behind a provider's NAT. */
const unusableRanges = new Set(["unspecified", "broadcast", "multicast", "linkLocal", "loopback", "reserved"]);
/** TEST-NET and 2001:db8::/32 count as reserved; documentation and labs live in them. */
const documentationPrefixes = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"].flatMap(
  (text) => parsePrefix(text) ?? [],
);

function checkPrefix(routing: Routing, path: Path, podNetworks: readonly string[]): readonly Finding[] {
  const prefix = parsePrefix(routing.cidr);
  if (prefix === undefined) return [];
  if (prefix.length === 0 || !isUsable(prefix)) {
    return [
      {
        code: "NotUnicast",
        path: [...path, "cidr"],
        value: routing.cidr,
        message: "does not hold addresses of hosts",
        remedy: "write the provider's subnet",
      },
    ];
  }
  const pods = podNetworks.find((text) => {
    const podNetwork = parsePrefix(text);
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

function isUsable(address: Address): boolean {
  return (
    !unusableRanges.has(addressRange(address)) ||
    documentationPrefixes.some((prefix) => containsAddress(prefix, address))
  );
}

function checkGateway(routing: Routing, path: Path): readonly Finding[] {
  const prefix = parsePrefix(routing.cidr);
  const gateway = parseAddress(routing.gateway);
  if (gateway === undefined) return [];
  const finding = (code: Finding["code"], message: string, remedy: string): Finding[] => [
    { code, path: [...path, "gateway"], value: routing.gateway, message, remedy },
  ];
  if (prefix !== undefined && prefix.family !== gateway.family) {
    return finding("FamilyMismatch", `is not of the family of ${routing.cidr}`, "write a gateway of the same family");
  }
  // The default route always names its interface, so a link-local router is as good as any (RFC 4861 section 6.3.4).
  if (gateway.family === 6 && addressRange(gateway) === "linkLocal") return [];
  // RFC 3927 addresses are used for routers outside the prefix, with onlink as any other.
  if (!isUsable(gateway) && addressRange(gateway) !== "linkLocal") {
    return finding("NotUnicast", "is not the address of a router", "write the provider's router on the segment");
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
  if (prefix.family === 4 && prefix.length < 31 && isEdge(prefix, gateway)) {
    return finding(
      "GatewayIsNetworkAddress",
      `is the network or broadcast address of ${routing.cidr}`,
      "write the router's",
    );
  }
  return [];
}

/** RFC 3021: a /31 has neither network nor broadcast address. */
function isEdge(prefix: Prefix, address: Address): boolean {
  return address.value === networkOf(prefix).value || address.value === lastAddress(prefix).value;
}

function checkTables(network: UnnamedNetwork): readonly Finding[] {
  const findings: Finding[] = [];
  const segmentPath: Path = network.type === "vxlan" ? ["vxlan", "vni"] : ["vlan", "id"];
  const segment = segmentId(network);
  const reserved = reservedTables.get(segment);
  if (reserved !== undefined && segment !== 0 && network.routing.some(({ table }) => table === undefined)) {
    findings.push({
      code: "ReservedTable",
      path: segmentPath,
      value: segment,
      message: `is ${reserved}`,
      remedy: "set routing.table",
    });
  }
  const users = new Map<string, number>();
  for (const [index, routing] of network.routing.entries()) {
    const prefix = parsePrefix(routing.cidr);
    const table = routing.table ?? segment;
    if (prefix === undefined || isUnknown(table)) continue;
    const key = `${prefix.family} ${table}`;
    const earlier = users.get(key);
    if (earlier === undefined) users.set(key, index);
    else findings.push(secondSubnet(index, earlier, prefix.family, table, routing));
  }
  return findings;
}

function secondSubnet(index: number, earlier: number, family: Family, table: number, routing: Routing): Finding {
  return {
    code: "TableClash",
    path: ["routing", index, ...(routing.table === undefined ? ["cidr"] : ["table"])],
    value: routing.table ?? routing.cidr,
    message: `is the second IPv${family} subnet in table ${table}, after routing[${earlier}]`,
    remedy: `set routing[${index}].table to a number of its own`,
  };
}

function checkVxlan(vxlan: Vxlan, publicPrefixes: readonly Prefix[]): readonly Finding[] {
  const findings: Finding[] = [];
  const nodeNet = parsePrefix(vxlan.nodeNet);
  const publicPrefix = nodeNet === undefined ? undefined : publicPrefixes.find((prefix) => overlaps(prefix, nodeNet));
  if (publicPrefix !== undefined) {
    findings.push({
      code: "OverlapsNodeNet",
      path: ["vxlan", "nodeNet"],
      value: vxlan.nodeNet,
      message: `overlaps the public prefix ${formatPrefix(publicPrefix)}: the tunnel's own packets would be routed into the tunnel`,
      remedy: "write the prefix of the nodes' addresses in the underlay",
    });
  }
  if (nodeNet !== undefined && (nodeNet.length === 0 || !isUsable(nodeNet))) {
    findings.push({
      code: "NotUnicast",
      path: ["vxlan", "nodeNet"],
      value: vxlan.nodeNet,
      message: "does not hold addresses of hosts",
      remedy: "write the prefix of the nodes' addresses in the underlay",
    });
  }
  if (vxlan.bgp === undefined && vxlan.remotes === undefined) {
    findings.push({
      code: "NobodyToFloodTo",
      path: ["vxlan"],
      message: "without bgp there is nobody to flood to",
      remedy: "write bgp, or remotes: [ADDRESS, …] with the other VTEPs",
    });
  }
  findings.push(...checkRemotes(vxlan.remotes ?? [], nodeNet, publicPrefixes));
  return vxlan.bgp === undefined ? findings : [...findings, ...checkBgp(vxlan.bgp, vxlan, publicPrefixes)];
}

function checkRemotes(
  remotes: readonly string[],
  nodeNet: Prefix | undefined,
  publicPrefixes: readonly Prefix[],
): readonly Finding[] {
  const path: Path = ["vxlan", "remotes"];
  return [
    ...checkHosts(remotes, path, "DuplicateRemote"),
    ...remotes.flatMap((text, index): Finding[] => {
      const remote = parseAddress(text);
      if (remote === undefined) return [];
      const finding = (code: Finding["code"], message: string, remedy: string): Finding[] => [
        { code, path: [...path, index], value: text, message, remedy },
      ];
      // A VXLAN interface has one local address and reaches only VTEPs of its family.
      if (nodeNet !== undefined && remote.family !== nodeNet.family) {
        const message = `is not of the family of nodeNet ${formatPrefix(nodeNet)}`;
        return finding("FamilyMismatch", message, "write an address of the same family");
      }
      if (!publicPrefixes.some((prefix) => containsAddress(prefix, remote))) return [];
      const message = "lies inside the public prefix, which is reached through this very tunnel";
      return finding("PeerInsidePublicPrefix", message, "write the VTEP's address in the underlay");
    }),
  ];
}

/** Addresses to which packets are sent: of one host each, and each once. */
function checkHosts(
  addresses: readonly string[],
  path: Path,
  duplicate: "DuplicatePeer" | "DuplicateRemote",
): readonly Finding[] {
  const seen = new Map<string, number>();
  return addresses.flatMap((text, index): Finding[] => {
    const address = parseAddress(text);
    if (address === undefined) return [];
    const finding = (code: Finding["code"], message: string, remedy: string): Finding[] => [
      { code, path: [...path, index], value: text, message, remedy },
    ];
    if (!isUsable(address)) {
      return finding("NotUnicast", "is not the address of another host", "write its address in the underlay");
    }
    const canonical = formatAddress(address);
    const earlier = seen.get(canonical);
    if (earlier !== undefined) {
      return finding(duplicate, `is already ${path.at(-1)}[${earlier}]`, "remove one of the two");
    }
    seen.set(canonical, index);
    return [];
  });
}

function checkBgp(bgp: Bgp, vxlan: Vxlan, publicPrefixes: readonly Prefix[]): readonly Finding[] {
  const path: Path = ["vxlan", "bgp"];
  const findings: Finding[] = [...checkPeers(bgp.peers, publicPrefixes, [...path, "peers"])];
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

function checkPeers(peers: readonly string[], publicPrefixes: readonly Prefix[], path: Path): readonly Finding[] {
  const inside = peers.flatMap((text, index): Finding[] => {
    const peer = parseAddress(text);
    if (peer === undefined || !publicPrefixes.some((prefix) => containsAddress(prefix, peer))) return [];
    const message = "lies inside the public prefix, which is reached through the tunnel that this session makes";
    const remedy = "write the peer's address in the underlay";
    return [{ code: "PeerInsidePublicPrefix", path: [...path, index], value: text, message, remedy }];
  });
  return [...checkHosts(peers, path, "DuplicatePeer"), ...inside];
}
