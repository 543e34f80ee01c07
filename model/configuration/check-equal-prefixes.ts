import { formatPrefix, parsePrefix } from "../address/prefix.js";
import { parseHostPrefix } from "../address/special-purpose.js";
import { segmentInterfaceName } from "../numbers/interface-name.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Finding, Path } from "./finding.js";
import { isUnknown, unknownValue } from "./unknown-value.js";

/** One subnet of one network. */
interface Subnet {
  readonly network: number;
  readonly name: string;
  readonly path: Path;
  readonly cidr: string;
  readonly replaces?: string;
}

/**
 * A prefix stands in one network; during a migration in two, of which one names the other in `routing.replaces`: on every
 * node exactly one of them then routes it. Of more than two nobody could say which.
 */
export function equalPrefixFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const place = ({ network, path }: Subnet) => locate(network, [...path, "cidr"]);
  return [...subnetsByPrefix(networks).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const [second, ...surplus] = others.filter(({ network }) => network !== first.network);
    const repeated = [...others.filter(({ network }) => network === first.network), ...surplus];
    return [
      ...repeated.map((subnet) => duplicate(subnet, place(first), "a prefix stands in one network; remove one")),
      ...(second === undefined ? [] : pairFindings(first, second, place(first))),
    ];
  });
}

function pairFindings(first: Subnet, second: Subnet, place: string): readonly NetworkFinding[] {
  if (mayReplace(first, second) || mayReplace(second, first)) return [];
  const [forward, backward] = [second.replaces === first.name, first.replaces === second.name];
  if (forward && backward) {
    const message = `is the network that replaces this one (${place})`;
    return [replacesFinding(second, message, "keep replaces in the network that takes over, remove it in the other")];
  }
  if (forward || backward) return [];
  const move = isUnknown(first.name) ? "" : `, or to move it set routing.replaces: ${first.name} here`;
  return [duplicate(second, place, `a prefix stands in one network; remove one${move}`)];
}

/** Whether it is open which network the one replaces, or what the other is called. */
function mayReplace(one: Subnet, other: Subnet): boolean {
  return isUnknown(one.replaces) || (one.replaces !== undefined && isUnknown(other.name));
}

/** What `routing.replaces` names must have the prefix. */
export function replacesFindings(networks: NetworkSet): readonly NetworkFinding[] {
  const subnets = allSubnets(networks);
  const byName = Map.groupBy(subnets, ({ name }) => name);
  return subnets.flatMap((subnet) => {
    const { replaces, name, cidr } = subnet;
    if (replaces === undefined || isUnknown(replaces)) return [];
    if (replaces === name) {
      return [replacesFinding(subnet, "is this network itself", "name the network that has had the prefix")];
    }
    const named = byName.get(replaces);
    if (named === undefined || named.some((other) => isUnknown(other.cidr) || samePrefix(other.cidr, cidr))) return [];
    return [replacesFinding(subnet, `does not have ${cidr}`, "name the network that has had the prefix")];
  });
}

/** Told to people who see the whole set: for one object among many a network that is gone already is no news. */
export function replacesWarnings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const subnets = allSubnets(networks);
  const byName = Map.groupBy(subnets, ({ name }) => name);
  return subnets.flatMap((subnet) => {
    const { replaces, name, network, path, cidr } = subnet;
    if (replaces === undefined || isUnknown(replaces) || replaces === name) return [];
    const named = byName.get(replaces);
    if (named === undefined) {
      if (byName.has(unknownValue)) return [];
      return [
        replacesFinding(
          subnet,
          "is no network here, so nothing is replaced",
          "remove replaces when the migration is over, or correct the name",
        ),
      ];
    }
    const here = locate(network, [...path, "cidr"]);
    return named
      .filter((other) => samePrefix(other.cidr, cidr))
      .map((other) =>
        finding(other, "PrefixReplaced", "cidr", {
          value: other.cidr,
          message: `is replaced by ${here}: nodes that carry both networks route it by ${name}`,
          remedy: `remove it here when the migration to ${name} is over`,
        }),
      );
  });
}

function allSubnets(networks: NetworkSet): readonly Subnet[] {
  return networks.flatMap((network, index) =>
    network === undefined
      ? []
      : network.routing.map(({ cidr, replaces }, position) => ({
          network: index,
          name: network.name ?? segmentInterfaceName(network),
          path: ["routing", position],
          cidr,
          ...(replaces === undefined ? {} : { replaces }),
        })),
  );
}

function subnetsByPrefix(networks: NetworkSet): ReadonlyMap<string, readonly Subnet[]> {
  return Map.groupBy(
    allSubnets(networks).filter(({ cidr }) => parseHostPrefix(cidr) !== undefined),
    ({ cidr }) => canonical(cidr) ?? cidr,
  );
}

function canonical(cidr: string): string | undefined {
  const prefix = parsePrefix(cidr);
  return prefix === undefined ? undefined : formatPrefix(prefix);
}

function samePrefix(left: string, right: string): boolean {
  const prefix = canonical(left);
  return prefix !== undefined && prefix === canonical(right);
}

function duplicate(subnet: Subnet, place: string, remedy: string): NetworkFinding {
  return finding(subnet, "DuplicatePrefix", "cidr", { value: subnet.cidr, message: `is already ${place}`, remedy });
}

function replacesFinding(subnet: Subnet, message: string, remedy: string): NetworkFinding {
  return finding(subnet, "ReplacesNothing", "replaces", { value: subnet.replaces, message, remedy });
}

function finding(
  { network, path }: Subnet,
  code: Finding["code"],
  key: "cidr" | "replaces",
  rest: Pick<Finding, "value" | "message" | "remedy">,
): NetworkFinding {
  return { network, finding: { code, path: [...path, key], ...rest } };
}
