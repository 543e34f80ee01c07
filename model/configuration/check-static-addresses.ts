import { formatAddress, parseAddress } from "../address/address.js";
import { containsAddress, formatPrefix, isEdge, parsePrefix } from "../address/prefix.js";
import { parseHostPrefix } from "../address/special-purpose.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Routing, StaticAddress } from "./configuration.js";
import type { Finding, Path } from "./finding.js";
import { isUnknown } from "./unknown-value.js";

/** What cannot be an address of a node in its subnet. */
export function checkStaticAddresses(routing: Routing, path: Path): readonly Finding[] {
  const prefix = parseHostPrefix(routing.cidr);
  const gateway = parseAddress(routing.gateway);
  return (routing.staticAddresses ?? []).flatMap(({ address: text }, index): readonly Finding[] => {
    const address = parseAddress(text);
    if (address === undefined || prefix === undefined) return [];
    const finding = (code: Finding["code"], message: string, remedy: string): readonly Finding[] => [
      { code, path: [...path, "staticAddresses", index, "address"], value: text, message, remedy },
    ];
    if (!containsAddress(prefix, address)) {
      const remedy = "write an address of this subnet, or pin it in the subnet that holds it";
      return finding("NotAssignable", `is not inside ${formatPrefix(prefix)}`, remedy);
    }
    if (isEdge(prefix, address)) {
      const message = `is the network or broadcast address of ${formatPrefix(prefix)}`;
      return finding("NotAssignable", message, "write an address that a host can have");
    }
    if (gateway !== undefined && formatAddress(gateway) === formatAddress(address)) {
      return finding("NotAssignable", "is the gateway of this subnet", "write an address that is free");
    }
    return [];
  });
}

interface Pinned {
  readonly network: number;
  readonly name: string;
  readonly path: Path;
  readonly cidr: string;
  readonly replaces?: string;
  readonly node: StaticAddress["node"];
  readonly address: string;
}

/**
 * An address is one node's, once: also over nested prefixes, of which the longest answers for it. A network that replaces another
 * may repeat its addresses for the same nodes, because on each node only one of the two holds the prefix.
 */
export function staticAddressFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const pinned = pinnedAddresses(networks);
  const prefixes = networks.flatMap((network, index) =>
    (network?.routing ?? []).flatMap(({ cidr }, position) => {
      const prefix = parsePrefix(cidr);
      return prefix === undefined ? [] : [{ network: index, path: ["routing", position, "cidr"], prefix }];
    }),
  );
  const seen = new Map<string, readonly Pinned[]>();
  return pinned.flatMap((one): readonly NetworkFinding[] => {
    const before = seen.get(one.address) ?? [];
    seen.set(one.address, [...before, one]);
    const other = before.find((earlier) => !isMigration(earlier, one));
    if (other !== undefined) {
      const message = `is already pinned at ${locate(other.network, other.path)}`;
      return [finding(one, "DuplicateStaticAddress", message, "pin an address to one node, once")];
    }
    const own = parsePrefix(one.cidr);
    const address = parseAddress(one.address);
    if (own === undefined || address === undefined) return [];
    const inner = prefixes.find(({ prefix }) => prefix.length > own.length && containsAddress(prefix, address));
    if (inner === undefined || !containsAddress(own, address)) return [];
    const message = `lies inside the longer prefix ${formatPrefix(inner.prefix)} (${locate(inner.network, inner.path)}), which routes it`;
    return [finding(one, "NotAssignable", message, "pin it in that subnet")];
  });
}

function pinnedAddresses(networks: NetworkSet): readonly Pinned[] {
  return networks.flatMap((network, index) =>
    (network?.routing ?? []).flatMap(({ cidr, replaces, staticAddresses = [] }, position) =>
      staticAddresses.flatMap(({ address, node }, entry): readonly Pinned[] => {
        const parsed = parseAddress(address);
        if (network === undefined || parsed === undefined) return [];
        return [
          {
            network: index,
            name: network.name ?? segmentInterfaceName(network),
            path: ["routing", position, "staticAddresses", entry, "address"],
            cidr,
            ...(replaces === undefined ? {} : { replaces }),
            node,
            address: formatAddress(parsed),
          },
        ];
      }),
    ),
  );
}

function isMigration(one: Pinned, other: Pinned): boolean {
  if (one.cidr !== other.cidr || one.network === other.network) return false;
  const sameNode = one.node === other.node || isUnknown(one.node) || isUnknown(other.node);
  return sameNode && (replaces(one, other) || replaces(other, one));
}

/** What is not known yet may be it. */
function replaces(one: Pinned, other: Pinned): boolean {
  return (
    one.replaces !== undefined && (one.replaces === other.name || isUnknown(one.replaces) || isUnknown(other.name))
  );
}

function finding({ network, path, address }: Pinned, code: Finding["code"], message: string, remedy: string) {
  return { network, finding: { code, path, value: address, message, remedy } };
}
