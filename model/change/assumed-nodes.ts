import { type Address, addressBits, compareAddresses, formatAddress } from "../address/address.js";
import {
  containsAddress,
  containsPrefix,
  lastAddress,
  type Prefix,
  parseAddressOrPrefix,
  parsePrefix,
} from "../address/prefix.js";
import type { Configuration, NamedNetwork, Vxlan } from "../configuration/configuration.js";
import type { NodeFacts } from "../node-plan/node-facts.js";
import { mtuRange, vxlanOverhead } from "../numbers/limits.js";

/**
 * Bytes. More than any configuration may ask for, whatever the encapsulation: a configured MTU always fits, and what the node
 * alone decides is known by a value that nobody can configure.
 */
const underlayMtu = mtuRange.maximum + Math.max(...Object.values(vxlanOverhead)) + 1;

/** Carries the address of a nodeNet for which nobody names an interface. */
const underlayInterface = "eth0";

/**
 * Nodes that stand for those of a cluster that nobody has asked: one for each nodeSelector, with just its labels. On each of them
 * every network that it selects can be planned. Their addresses, MTUs and marks are made up.
 */
export function assumedNodes(configurations: readonly Configuration[]): readonly NodeFacts[] {
  const networks = configurations.flatMap((configuration) => configuration.networks);
  const addresses = underlayAddresses(networks);
  const parents = networks.flatMap((network) => (network.type === "vlan" ? [network.vlan.parent] : []));
  const names = new Set([...addresses.map(({ device }) => device), ...parents]);
  const links = [...names].map((name) => ({ name, mtu: underlayMtu, up: true }));
  return selectors(networks).map((labels) => ({
    nodeName: "assumed",
    labels,
    links,
    addresses,
    marks: [],
    rpFilterAll: 0,
    localRulePriority: 0,
  }));
}

/** Each once; without labels first. */
function selectors(networks: readonly NamedNetwork[]): readonly Readonly<Record<string, string>>[] {
  const sorted = networks.map(({ nodeSelector = {} }) => Object.entries(nodeSelector).toSorted());
  return [...new Set(["[]", ...sorted.map((labels) => JSON.stringify(labels)).toSorted()])].map((labels) =>
    Object.fromEntries(JSON.parse(labels) as [string, string][]),
  );
}

interface Underlay {
  readonly prefix: Prefix;
  /** Absent: any interface will do. */
  readonly device?: string;
}

/**
 * An address for each nodeNet and interface, and for what sessions come from. A wider nodeNet takes the address of a narrower one inside it, and a network that
 * names no interface that of one which does, as on a node that has a single one. Of several addresses that one nodeNet
 * contains, only one has a prefix length below the host's, or the choice between them would be ambiguous (see vtepAddress).
 */
function underlayAddresses(networks: readonly NamedNetwork[]): NodeFacts["addresses"] {
  const vxlans = networks.flatMap((network) => (network.type === "vxlan" ? [network.vxlan] : []));
  const others = new Set(vxlans.flatMap(({ bgp, remotes }) => [...(bgp?.peers ?? []), ...(remotes ?? [])]));
  const underlays = vxlans.flatMap(underlayOf).toSorted(narrowestFirst);
  const addresses: (NodeFacts["addresses"][number] & { readonly parsed: Address })[] = [];
  for (const { prefix, device } of underlays) {
    const fits = addresses.some(
      (fact) => (device === undefined || fact.device === device) && containsAddress(prefix, fact.parsed),
    );
    if (fits) continue;
    const widest = widestAround(prefix, underlays);
    const isFirst = !addresses.some(({ parsed }) => containsAddress(widest, parsed));
    const parsed = freeAddress(prefix, new Set([...others, ...addresses.map(({ address }) => address)]));
    addresses.push({
      device: device ?? underlayInterface,
      family: prefix.family,
      address: formatAddress(parsed),
      prefixLength: isFirst ? prefix.length : addressBits(prefix.family),
      secondary: false,
      deprecated: false,
      tentative: false,
      parsed,
    });
  }
  return addresses.map(({ parsed: _, ...fact }) => fact);
}

function underlayOf({ nodeNet, nodeInterface, bgp }: Vxlan): readonly Underlay[] {
  const prefix = parsePrefix(nodeNet);
  const source = bgp?.sourceAddress === undefined ? undefined : parseAddressOrPrefix(bgp.sourceAddress);
  return [
    ...(prefix === undefined ? [] : [{ prefix, ...(nodeInterface === undefined ? {} : { device: nodeInterface }) }]),
    ...(source === undefined ? [] : [{ prefix: source }]),
  ];
}

/** Among equal prefixes those that name an interface come first. */
function narrowestFirst(left: Underlay, right: Underlay): number {
  return (
    right.prefix.length - left.prefix.length ||
    compareAddresses(left.prefix, right.prefix) ||
    Number(left.device === undefined) - Number(right.device === undefined)
  );
}

/** Prefixes around one prefix are nested, so that the last of those sorted from narrow to wide is the widest. */
function widestAround(prefix: Prefix, underlays: readonly Underlay[]): Prefix {
  return underlays.findLast((underlay) => containsPrefix(underlay.prefix, prefix))?.prefix ?? prefix;
}

/** The highest address that is nobody else's and not the last, which is the broadcast address; in a full or tiny prefix, any. */
function freeAddress(prefix: Prefix, taken: ReadonlySet<string>): Address {
  const last = lastAddress(prefix);
  for (let value = last.value - 1n; containsAddress(prefix, { ...last, value }); value -= 1n) {
    if (!taken.has(formatAddress({ ...last, value }))) return { ...last, value };
  }
  return last;
}
