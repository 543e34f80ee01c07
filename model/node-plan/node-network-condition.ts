import { addressBits } from "../address/address.js";
import { containsPrefix, familyOf, formatPrefix, networkOf, overlaps, parsePrefix } from "../address/prefix.js";
import type { Routing } from "../configuration/configuration.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { comparePrefixTexts } from "./compare.js";
import type { AddressFact, NodeFacts } from "./node-facts.js";
import type { Mark, PlanCondition } from "./node-plan.js";

/**
 * Where requests are marked, those that the service proxy translates to an address outside all exceptions are routed by their mark:
 * to the gateway instead of, say, a hostNetwork backend on another node (measured). A configuration without nodeNet and whose
 * podNetworks do not name the nodes' network does that; the networks of which the node is a part are the suspects.
 */
export function nodeNetworkConditions(
  subnets: readonly Routing[],
  markOf: (routing: Routing) => Mark | undefined,
  inside: readonly string[],
  { rpFilterAll, addresses, links }: Pick<NodeFacts, "rpFilterAll" | "addresses" | "links">,
): readonly PlanCondition[] {
  const marked = subnets.filter((routing) => familyOf(routing.cidr) === 4 && markOf(routing) !== undefined);
  if (rpFilterAll === 0 || marked.length === 0) return [];
  const ours = new Set(links.filter(isMarkedOurs).map(({ name }) => name));
  const excepted = inside.map(parsePrefix).filter((prefix) => prefix !== undefined);
  const publics = subnets.map(({ cidr }) => parsePrefix(cidr)).filter((prefix) => prefix !== undefined);
  const missing = addresses
    .filter(({ device }) => device !== "lo" && !ours.has(device))
    .flatMap(connected)
    .filter((prefix) => !excepted.some((outer) => containsPrefix(outer, prefix)))
    .filter((prefix) => !publics.some((other) => overlaps(other, prefix)))
    .map(formatPrefix);
  if (missing.length === 0) return [];
  const names = [...new Set(missing)].sort(comparePrefixTexts).join(", ");
  const message =
    `under net.ipv4.conf.all.rp_filter ${rpFilterAll} requests for ${marked.map(({ cidr }) => cidr).join(", ")} are marked, and those ` +
    `that are translated to an address in ${names}, such as a hostNetwork backend of another node, go to the gateway; add the ` +
    "nodes' network to podNetworks, or run sysctl -w net.ipv4.conf.all.rp_filter=0 and set it in /etc/sysctl.d";
  return [{ reason: "NodeNetworkMissing", message }];
}

/** The IPv4 network that an address makes its node a part of; none by an address for itself. */
function connected({ family, address, prefixLength }: AddressFact) {
  if (family !== 4 || prefixLength >= addressBits(family)) return [];
  const prefix = parsePrefix(`${address}/${prefixLength}`);
  return prefix === undefined ? [] : [networkOf(prefix)];
}
