import { addressBits } from "../address/address.js";
import { comparePrefixes, containsPrefix, familyOf, type Prefix } from "../address/prefix.js";
import { parseHostPrefix } from "../address/special-purpose.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Finding, Path } from "./finding.js";

type Kind = "cidr" | "nodeNet" | "peer" | "remote" | "source";

/** What the configuration names: a prefix of the public or of the underlay, or the address of a peer or VTEP. */
interface Named {
  readonly kind: Kind;
  readonly network: number;
  readonly path: Path;
  readonly text: string;
}

interface NamedPrefix extends Named {
  readonly prefix: Prefix;
}

/**
 * What is public and what lies beneath it must not overlap, inside one network as between two: packets of the tunnels and
 * sessions themselves would meet the rules of the public prefix. Each place is told of at most once.
 */
export function underlayFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const cidrs = namedCidrs(networks);
  const underlay = namedUnderlay(networks);
  /** By public prefix, or prefix beneath: the earliest network's counterpart. */
  const counterparts = new Map<NamedPrefix, NamedPrefix>();
  const note = (one: NamedPrefix, other: NamedPrefix) => {
    const known = counterparts.get(one);
    if (known === undefined || other.network < known.network) counterparts.set(one, other);
  };
  for (const [outer, inner] of nestedPairs([...firstOfEach(cidrs), ...underlay])) {
    if ((outer.kind === "cidr") === (inner.kind === "cidr")) continue;
    note(outer, inner);
    note(inner, outer);
  }
  const firsts = new Map(firstOfEach(cidrs).map((first) => [first.text, first]));
  return [...cidrs, ...underlay].flatMap((named): readonly NetworkFinding[] => {
    const other = counterparts.get(named.kind === "cidr" ? (firsts.get(named.text) ?? named) : named);
    if (other === undefined || other.network > named.network) return [];
    if (named.kind !== "cidr") return [insidePublic(named, other, locate)];
    return other.network < named.network ? [underlayInside(named, other, locate)] : [];
  });
}

/** A public prefix inside another network's. */
export function nestedPrefixWarnings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  // Of equal ones check-equal-prefixes.ts speaks.
  const nearest = new Map(nestedPairs(firstOfEach(namedCidrs(networks))).map(([outer, inner]) => [inner, outer]));
  return [...nearest].flatMap(([inner, outer]): readonly NetworkFinding[] => {
    if (outer.network === inner.network) return [];
    const place = locate(outer.network, outer.path);
    const message = `lies inside ${outer.text} of ${place}: its addresses are routed by this network alone`;
    return [report(inner, "NestedPrefix", message, "keep it if that is meant")];
  });
}

const remedies: Readonly<Record<Kind, string>> = {
  cidr: "write the provider's subnet, or correct the other one",
  nodeNet: "write the prefix of the nodes' addresses in the underlay",
  peer: "write the peer's address in the underlay",
  remote: "write the VTEP's address in the underlay",
  source: "write an address that the nodes have in the underlay, or its prefix",
};

function insidePublic(beneath: NamedPrefix, cidr: NamedPrefix, locate: Locate): NetworkFinding {
  const own = beneath.network === cidr.network;
  const publicPrefix = own
    ? `the network's own public prefix ${cidr.text}`
    : `the public prefix ${cidr.text} of ${locate(cidr.network, cidr.path)}`;
  if (beneath.kind === "nodeNet") {
    const message = `overlaps ${publicPrefix}: the tunnel's own packets would be routed into it`;
    return report(beneath, "OverlapsNodeNet", message, remedies.nodeNet);
  }
  if (beneath.kind === "source") {
    const message = `overlaps ${publicPrefix}: packets of the sessions would be routed into it`;
    return report(beneath, "OverlapsSourceAddress", message, remedies.source);
  }
  const reason = own ? ", which is reached through the tunnel that needs this address" : "";
  return report(beneath, "PeerInsidePublicPrefix", `lies inside ${publicPrefix}${reason}`, remedies[beneath.kind]);
}

/** The later network is the one that does not fit in: a set gathered from a cluster has the others already. */
function underlayInside(cidr: NamedPrefix, beneath: NamedPrefix, locate: Locate): NetworkFinding {
  const other = `${beneath.text} of ${locate(beneath.network, beneath.path)}`;
  if (beneath.kind === "nodeNet") {
    const message = `overlaps ${other}: the tunnel's own packets would be routed into the public network`;
    return report(cidr, "OverlapsNodeNet", message, remedies.cidr);
  }
  if (beneath.kind === "source") {
    const message = `overlaps ${other}: packets of the sessions would be routed into the public network`;
    return report(cidr, "OverlapsSourceAddress", message, remedies.cidr);
  }
  const message = `holds ${other}, which must be reached outside the public networks`;
  return report(cidr, "PeerInsidePublicPrefix", message, remedies.cidr);
}

function report(
  { network, path, text }: Named,
  code: Finding["code"],
  message: string,
  remedy: string,
): NetworkFinding {
  return { network, finding: { code, path, value: text, message, remedy } };
}

function namedCidrs(networks: NetworkSet): readonly NamedPrefix[] {
  return networks.flatMap((network, index) =>
    (network?.routing ?? []).flatMap(({ cidr }, subnet) =>
      parsed({ kind: "cidr", network: index, path: ["routing", subnet, "cidr"], text: cidr }),
    ),
  );
}

/** Networks of one fabric share nodeNet and peers: each is compared once. */
function namedUnderlay(networks: NetworkSet): readonly NamedPrefix[] {
  const named = networks.flatMap((network, index): readonly Named[] => {
    if (network?.type !== "vxlan") return [];
    const { nodeNet, bgp, remotes } = network.vxlan;
    const hosts = (kind: Kind, path: Path, addresses: readonly string[] = []) =>
      addresses.map((text, position) => ({ kind, network: index, path: [...path, position], text }));
    return [
      { kind: "nodeNet", network: index, path: ["vxlan", "nodeNet"], text: nodeNet },
      ...hosts("peer", ["vxlan", "bgp", "peers"], bgp?.peers),
      ...hosts("remote", ["vxlan", "remotes"], remotes),
      ...(bgp?.sourceAddress === undefined
        ? []
        : [
            {
              kind: "source" as const,
              network: index,
              path: ["vxlan", "bgp", "sourceAddress"],
              text: bgp.sourceAddress,
            },
          ]),
    ];
  });
  return firstOfEach(named).flatMap(parsed);
}

function parsed(named: Named): readonly NamedPrefix[] {
  const { text } = named;
  const prefix = parseHostPrefix(text.includes("/") ? text : `${text}/${addressBits(familyOf(text))}`);
  return prefix === undefined ? [] : [{ ...named, prefix }];
}

/** Texts are canonical, so that equal prefixes are equal texts. */
function firstOfEach<Kept extends Named>(prefixes: readonly Kept[]): readonly Kept[] {
  const firsts = new Map<string, Kept>();
  for (const named of prefixes) if (!firsts.has(named.text)) firsts.set(named.text, named);
  return [...firsts.values()];
}

/**
 * Pairs of which the first holds the second, in one pass over the sorted list instead of all with all; the nearest outer one
 * comes last. Distinct prefixes are nested at most as deep as an address has bits.
 */
function nestedPairs(prefixes: readonly NamedPrefix[]): readonly (readonly [NamedPrefix, NamedPrefix])[] {
  const open: NamedPrefix[] = [];
  return prefixes
    .toSorted((left, right) => comparePrefixes(left.prefix, right.prefix))
    .flatMap((inner) => {
      for (
        let outer = open.at(-1);
        outer !== undefined && !containsPrefix(outer.prefix, inner.prefix);
        outer = open.at(-1)
      )
        open.pop();
      const pairs = open.map((outer) => [outer, inner] as const);
      open.push(inner);
      return pairs;
    });
}
