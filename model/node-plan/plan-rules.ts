import { familyOf, parsePrefix } from "../address/prefix.js";
import type { Configuration, NetworkSpec, Routing } from "../configuration/configuration.js";
import { mainTable, routingTable } from "../numbers/routing-table.js";
import { rulePriorities } from "../numbers/rule-priorities.js";
import { compareRules } from "./compare.js";
import type { Mark, RulePlan } from "./node-plan.js";
import { ruleKey } from "./rule-key.js";

/**
 * The rules of one network. `inside` are the networks of {@link insideNetworks}; `markOf` gives the mark of a table, or undefined
 * where replies are not marked.
 *
 * Every exception stands twice, by source and by mark: a marked reply has not got its public source back yet when it is
 * routed (netfilter undoes DNAT after routing), so `from` alone would send a pod's answer to the gateway.
 */
export function planRules(
  spec: NetworkSpec,
  inside: readonly string[],
  markOf: (routing: Routing) => Mark | undefined,
): readonly RulePlan[] {
  const rules = spec.routing.flatMap((routing) => {
    const local = inside.filter((network) => familyOf(network) === familyOf(routing.cidr));
    return subnetRules(routing, routingTable(spec, routing), local, markOf(routing));
  });
  // Subnets that share a table share its mark rules.
  return [...new Map(rules.map((rule) => [ruleKey(rule), rule])).values()].sort(compareRules);
}

/**
 * Networks that are answered by the main table, whatever the public address: pods, services and nodes. The nodes are the same in
 * all networks, so that the nodeNet of one holds for all: a VLAN network has none, and a request that the service proxy
 * translates to a hostNetwork backend on another node would go to its gateway where requests are marked (measured).
 */
export function insideNetworks({
  podNetworks,
  networks,
}: Pick<Configuration, "podNetworks"> & { readonly networks: readonly NetworkSpec[] }): readonly string[] {
  return [...new Set([...podNetworks, ...nodeNetworks(networks)])];
}

/** Each once: many networks have the same one. */
export function nodeNetworks(networks: readonly NetworkSpec[]): readonly string[] {
  return [...new Set(networks.flatMap((network) => (network.type === "vxlan" ? [network.vxlan.nodeNet] : [])))];
}

function subnetRules(
  routing: Routing,
  table: number,
  inside: readonly string[],
  mark: Mark | undefined,
): readonly RulePlan[] {
  const family = familyOf(routing.cidr);
  const priorities = rulePriorities(family, parsePrefix(routing.cidr)?.length ?? 0);
  const from = routing.cidr;
  const main = { kind: "lookup", table: mainTable } as const;
  const lookup = { kind: "lookup", table } as const;
  const unreachable = { kind: "unreachable" } as const;
  const bySource: readonly RulePlan[] = [
    ...inside.map((to) => ({ family, priority: priorities.exception, from, to, action: main })),
    { family, priority: priorities.source, from, action: lookup },
    { family, priority: priorities.sourceGuard, from, action: unreachable },
  ];
  if (mark === undefined) return bySource;
  return [
    ...bySource,
    ...inside.map((to) => ({ family, priority: priorities.exception, to, mark, action: main })),
    { family, priority: priorities.mark, mark, action: lookup },
    { family, priority: priorities.markGuard, mark, action: unreachable },
  ];
}
