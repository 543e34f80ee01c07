import { familyOf } from "../address/prefix.js";
import type { Routing } from "../configuration/configuration.js";
import { comparePrefixTexts } from "./compare.js";
import type { NodeFacts } from "./node-facts.js";
import type { Mark, PlanCondition } from "./node-plan.js";

/** Values of net.ipv4.conf.*.rp_filter (ip-sysctl.rst). */
const off = 0;
const loose = 2;

/** What of a network the node's reverse path check concerns. */
export interface CheckedNetwork {
  readonly device: string;
  readonly subnets: readonly Routing[];
  /** Networks that are answered by the main table. */
  readonly inside: readonly string[];
  readonly markOf: (routing: Routing) => Mark | undefined;
}

/**
 * What net.ipv4.conf.all.rp_filter takes away although our own interface does not ask for it, for the larger of both counts
 * (ip-sysctl.rst). With marks in both directions requests pass (measured), but for those from networks inside the cluster which
 * come by the gateway: the answer goes to them directly, and the check wants it to leave by the interface of the request.
 * Without marks it also looks for the way back from a translated address. The loose check asks only for some way back, but
 * is strict on an interface without an IPv4 address (fib_validate_source; measured). IPv6 has no such check.
 */
export function reversePathConditions(
  { device, subnets, inside, markOf }: CheckedNetwork,
  { rpFilterAll, addresses }: Pick<NodeFacts, "rpFilterAll" | "addresses">,
): readonly PlanCondition[] {
  const passesLoosely =
    rpFilterAll === loose && addresses.some((address) => address.device === device && address.family === 4);
  if (rpFilterAll === off || passesLoosely) return [];
  const checked = subnets.filter(({ cidr }) => familyOf(cidr) === 4);
  const unmarked = checked.filter((routing) => markOf(routing) === undefined);
  const sources = checked.length === 0 ? [] : inside.filter((network) => familyOf(network) === 4);
  const dropped = [
    ...(sources.length === 0 ? [] : [`packets from ${list(sources)}`]),
    ...(unmarked.length === 0
      ? []
      : [`packets for ${list(unmarked.map(({ cidr }) => cidr))} that are translated (DNAT)`]),
  ];
  if (dropped.length === 0) return [];
  const message =
    `net.ipv4.conf.all.rp_filter is ${rpFilterAll} and overrides that of ${device}, where it drops ${dropped.join(" and ")}; ` +
    "run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d";
  return [{ reason: "ReversePathFilter", message }];
}

function list(prefixes: readonly string[]): string {
  return [...new Set(prefixes)].sort(comparePrefixTexts).join(", ");
}
