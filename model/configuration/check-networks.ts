import { comparePrefixes, containsPrefix, type Prefix, parsePrefix } from "../address/prefix.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";
import { routeDistinguisherNumber } from "../numbers/route-distinguisher.js";
import { segmentId } from "../numbers/routing-table.js";
import { equalPrefixFindings, replacesFindings, replacesWarnings } from "./check-equal-prefixes.js";
import { markFindings } from "./check-marks.js";
import { sessionFindings } from "./check-sessions.js";
import type { NamedNetwork, RouterSpec } from "./configuration.js";
import { type Finding, type Path, renderPath } from "./finding.js";
import type { Mistake } from "./mistake.js";
import type { UnnamedNetwork } from "./schema.js";
import { isSpeaker } from "./speaker-network.js";
import { isUnknown } from "./unknown-value.js";

/** A finding of a network by its position in the set. */
export interface NetworkFinding {
  readonly network: number;
  readonly finding: Finding;
}

/** How a place in the n-th network is named to people: `networks[0].vxlan.vni`, or `vxlan228.vxlan.vni` in a cluster. */
export type Locate = (network: number, path: Path) => string;

/**
 * What is wrong between networks that each may be right: for a set gathered from a cluster, where every network is an
 * object of its own. Of two that clash the later one is reported and names the earlier. With `cluster` the marks are
 * counted too, which a node counts for itself when it plans.
 */
export function checkNetworks(
  networks: readonly NamedNetwork[],
  cluster?: Pick<RouterSpec, "cni">,
): readonly Mistake[] {
  const locate: Locate = (network, path) => renderPath([networks[network]?.name ?? "", ...path]);
  const marks = cluster === undefined ? [] : markFindings(networks, cluster.cni);
  return [...crossFindings(networks, locate), ...marks].map(({ network, finding }) => ({
    code: finding.code,
    path: locate(network, finding.path),
    value: finding.value,
    message: finding.message,
    remedy: finding.remedy,
  }));
}

/** Positions without a network are those whose `type` is not known. */
export type NetworkSet = readonly (UnnamedNetwork | undefined)[];

export function crossFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return [
    ...segmentFindings(networks, locate),
    ...sessionFindings(networks, locate),
    ...prefixFindings(networks, locate).filter(({ finding }) => finding.code !== "NestedPrefix"),
    ...equalPrefixFindings(networks, locate),
    ...replacesFindings(networks),
  ];
}

export function crossWarnings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return [
    ...prefixFindings(networks, locate).filter(({ finding }) => finding.code === "NestedPrefix"),
    ...replacesWarnings(networks, locate),
  ];
}

/** Something of which only one network can have the same. */
interface Claim {
  readonly code: Finding["code"];
  /** Nothing where the network does not claim it or the value is not known. */
  readonly of: (network: UnnamedNetwork) => readonly Claimed[];
  readonly message: (value: number | string, other: string) => string;
  readonly remedy: (network: UnnamedNetwork, other: UnnamedNetwork) => string;
}

interface Claimed {
  readonly key: number | string;
  readonly path: Path;
  readonly value: unknown;
}

const segmentPath = (network: UnnamedNetwork): Path => (network.type === "vxlan" ? ["vxlan", "vni"] : ["vlan", "id"]);

const known = (claimed: Claimed): readonly Claimed[] => (isUnknown(claimed.key) ? [] : [claimed]);

/** One interface name, and one VXLAN device per VNI whatever its UDP port; the table would be the same too. */
const duplicateSegment: Claim = {
  code: "DuplicateSegment",
  of: (network) => {
    const id = segmentId(network);
    return isUnknown(id) ? [] : [{ key: `${network.type} ${id}`, path: segmentPath(network), value: id }];
  },
  message: (_key, other) => `is already ${other}`,
  remedy: (network, other) =>
    isSameSegment(network, other)
      ? "list both subnets under one network, the second with a routing.table of its own"
      : `give one of them another ${network.type === "vxlan" ? "VNI" : "VLAN id"}: both would be the interface ${segmentInterfaceName(network)}`,
};

/** Of two networks with one number: whether it is one segment, or the number stands in two places. */
function isSameSegment(one: UnnamedNetwork, other: UnnamedNetwork): boolean {
  if (one.type === "vlan") return other.type === "vlan" && one.vlan.parent === other.vlan.parent;
  return other.type === "vxlan" && one.vxlan.port === other.vxlan.port && one.vxlan.nodeNet === other.vxlan.nodeNet;
}

const claims: readonly Claim[] = [
  {
    code: "DuplicateName",
    of: (network) => known({ key: nameOf(network), path: ["name"], value: network.name }),
    message: (_name, other) => `is already taken by ${other}`,
    remedy: () => "give one of them another name",
  },
  {
    code: "TableClash",
    of: (network) =>
      network.routing.flatMap((routing, index) => {
        const prefix = parsePrefix(routing.cidr);
        const table = routing.table ?? segmentId(network);
        if (prefix === undefined || isUnknown(table)) return [];
        const path = routing.table === undefined ? segmentPath(network) : ["routing", index, "table"];
        return [{ key: `${prefix.family} ${table}`, path, value: table }];
      }),
    message: (_key, other) => `is the routing table that ${other} already uses`,
    remedy: () => "set routing.table",
  },
  {
    code: "GobgpPortClash",
    of: (network) =>
      isSpeaker(network)
        ? known({
            key: gobgpPort(network),
            path: network.vxlan.bgp.gobgpPort === undefined ? ["vxlan", "vni"] : ["vxlan", "bgp", "gobgpPort"],
            value: network.vxlan.bgp.gobgpPort ?? network.vxlan.vni,
          })
        : [],
    message: (port, other) => `gives the GoBGP API port ${port} that ${other} has too`,
    remedy: () => "set bgp.gobgpPort in one of them",
  },
  {
    code: "RouteDistinguisherClash",
    of: (network) =>
      isSpeaker(network)
        ? known(
            network.vxlan.bgp.routeDistinguisher === undefined
              ? {
                  key: routeDistinguisherNumber(network.vxlan.vni),
                  path: ["vxlan", "vni"],
                  value: network.vxlan.vni,
                }
              : {
                  key: network.vxlan.bgp.routeDistinguisher,
                  path: ["vxlan", "bgp", "routeDistinguisher"],
                  value: network.vxlan.bgp.routeDistinguisher,
                },
          )
        : [],
    message: (number, other) => `gives the route distinguisher number ${number} (VNI mod 65536) that ${other} has too`,
    remedy: () => "set bgp.routeDistinguisher in one of them",
  },
];

function nameOf(network: UnnamedNetwork): string {
  return network.name ?? segmentInterfaceName(network);
}

function clashes(networks: NetworkSet, locate: Locate, claim: Claim): readonly NetworkFinding[] {
  const owners = new Map<
    number | string,
    { readonly index: number; readonly spec: UnnamedNetwork; readonly path: Path }
  >();
  return networks.flatMap((network, index) => {
    if (network === undefined) return [];
    return claim.of(network).flatMap(({ key, path, value }): NetworkFinding[] => {
      const owner = owners.get(key);
      if (owner === undefined) owners.set(key, { index, spec: network, path });
      // Inside one network check-network.ts speaks.
      if (owner === undefined || owner.index === index) return [];
      const message = claim.message(key, locate(owner.index, owner.path));
      const remedy = claim.remedy(network, owner.spec);
      return [{ network: index, finding: { code: claim.code, path, value, message, remedy } }];
    });
  });
}

/** Everything of a segment that stands twice clashes: one message says it all. */
function segmentFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const duplicates = clashes(networks, locate, duplicateSegment);
  const repeated = new Set(duplicates.map(({ network }) => network));
  const others = networks.map((network, index) => (repeated.has(index) ? undefined : network));
  return [...duplicates, ...claims.flatMap((claim) => clashes(others, locate, claim))];
}

/** A prefix that the configuration names: of the public, of the underlay, or a peer as a prefix of one address. */
interface NamedPrefix {
  readonly kind: "cidr" | "nodeNet" | "peer";
  readonly network: number;
  readonly path: Path;
  readonly text: string;
  readonly prefix: Prefix;
}

function namedPrefixes(networks: NetworkSet): readonly NamedPrefix[] {
  const underlay = new Set<string>();
  return networks.flatMap((network, index) => {
    if (network === undefined) return [];
    const named = (kind: NamedPrefix["kind"], path: Path, text: string, prefixText = text): readonly NamedPrefix[] => {
      const prefix = parsePrefix(prefixText);
      // Networks of one fabric share nodeNet and peers: each is compared once.
      if (prefix === undefined || (kind !== "cidr" && underlay.has(prefixText))) return [];
      if (kind !== "cidr") underlay.add(prefixText);
      return [{ kind, network: index, path, text, prefix }];
    };
    const subnets = network.routing.flatMap(({ cidr }, subnet) => named("cidr", ["routing", subnet, "cidr"], cidr));
    if (network.type === "vlan") return subnets;
    const peers = (network.vxlan.bgp?.peers ?? []).flatMap((peer, position) =>
      named("peer", ["vxlan", "bgp", "peers", position], peer, `${peer}/${peer.includes(":") ? 128 : 32}`),
    );
    return [...subnets, ...named("nodeNet", ["vxlan", "nodeNet"], network.vxlan.nodeNet), ...peers];
  });
}

/**
 * Pairs of which the first holds the second, in one pass over the sorted list instead of all with all. Of public prefixes
 * only the nearest one around is a pair's first, and of equal ones the first: what lies further out contains that too.
 */
function nestedPairs(prefixes: readonly NamedPrefix[]): readonly (readonly [NamedPrefix, NamedPrefix])[] {
  const open: NamedPrefix[] = [];
  return prefixes
    .toSorted((left, right) => comparePrefixes(left.prefix, right.prefix) || left.network - right.network)
    .flatMap((inner) => {
      for (
        let outer = open.at(-1);
        outer !== undefined && !containsPrefix(outer.prefix, inner.prefix);
        outer = open.at(-1)
      )
        open.pop();
      const nearest = open.findLast(({ kind }) => kind === "cidr");
      const outers = open.filter((outer) => outer.kind !== "cidr" || outer === nearest);
      const repeated = open.some(({ kind, prefix }) => kind === inner.kind && prefix.length === inner.prefix.length);
      if (!repeated) open.push(inner);
      return outers.map((outer) => [outer, inner] as const);
    });
}

function prefixFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return nestedPairs(namedPrefixes(networks)).flatMap(([outer, inner]): NetworkFinding[] => {
    const place = (named: NamedPrefix) => locate(named.network, named.path);
    const report = (named: NamedPrefix, code: Finding["code"], message: string, remedy: string): NetworkFinding[] => [
      { network: named.network, finding: { code, path: named.path, value: named.text, message, remedy } },
    ];
    if (outer.kind === "cidr" && inner.kind === "cidr") {
      // Of equal ones check-equal-prefixes.ts speaks.
      if (outer.network === inner.network || outer.prefix.length === inner.prefix.length) return [];
      const message = `lies inside ${outer.text} of ${place(outer)}: its addresses are routed by this network alone`;
      return report(inner, "NestedPrefix", message, "keep it if that is meant");
    }
    // Inside one network check-network.ts speaks.
    if (outer.network === inner.network || (outer.kind !== "cidr" && inner.kind !== "cidr")) return [];
    const [cidr, other] = outer.kind === "cidr" ? [outer, inner] : [inner, outer];
    if (other.kind === "peer") {
      const message = `lies inside the public prefix ${cidr.text} of ${place(cidr)}`;
      return report(other, "PeerInsidePublicPrefix", message, "write the peer's address in the underlay");
    }
    const message = `overlaps the public prefix ${cidr.text} of ${place(cidr)}`;
    return report(other, "OverlapsNodeNet", message, "write the prefix of the nodes' addresses in the underlay");
  });
}
