import type { FilterPlan, NetworkPlan, NodePlan, PlanCondition } from "../node-plan/node-plan.js";
import { nftRuleset } from "../render/nft-ruleset.js";
import { isSealed } from "./filter-seal.js";
import { forwardingOperations } from "./forwarding-operations.js";
import { deleteLink, isOurLink, linkOperations } from "./link-operations.js";
import type { ObservedState } from "./observed-state.js";
import { obsoleteObjects, type Retained } from "./obsolete-objects.js";
import type { Operation } from "./operation.js";
import { deleteRoute, routeOperations } from "./route-operations.js";
import { deleteRule, ruleOperations } from "./rule-operations.js";

/** What makes the kernel equal to a node plan, in the order in which it has to happen. */
export interface PlanDiff {
  /** Removes what belongs to no network any more: rules, then routes, then interfaces. */
  readonly departed: readonly Operation[];
  /** Loads our nft table, before any interface in it is set up. */
  readonly filter: readonly Operation[];
  readonly networks: readonly NetworkDiff[];
}

export interface NetworkDiff {
  readonly network: string;
  /** Interface and sysctls; when one fails, nothing after it can succeed. */
  readonly link: readonly Operation[];
  /** Flood list, routes, then rules: exceptions before what they except from, guards beside their rule. */
  readonly additions: readonly Operation[];
  /** What the network had and does not have any more; last, so that no packet meets a gap. */
  readonly removals: readonly Operation[];
  /** The interface is made anew, so it starts without FDB entries. */
  readonly fresh: boolean;
  /** Foreign objects in the way. They are left alone; the part of the network that they block is missing. */
  readonly conflicts: readonly PlanCondition[];
}

/**
 * Compares the kernel with the plan. Only what is ours (protocol number, alias, nft table) is changed or removed; what networks
 * hold that cannot be planned now, or whose interface is another's, stays.
 */
export function diffPlan(observed: ObservedState, plan: NodePlan): PlanDiff {
  const links = new Map(plan.networks.map((network) => [network, linkOperations(network.link, observed.links)]));
  const carried = plan.networks.filter((network) => links.get(network)?.kind === "plan");
  const blocked = plan.networks.filter((network) => !carried.includes(network)).map(retainedBy);
  const obsolete = obsoleteObjects(observed, carried, [...plan.unplanned, ...blocked]);

  return {
    departed: [
      ...obsolete.rules.filter(({ network }) => network === undefined).map(({ rule }) => deleteRule(rule)),
      ...obsolete.routes.filter(({ network }) => network === undefined).map(({ route }) => deleteRoute(route)),
      ...obsolete.links.map(deleteLink),
    ],
    filter: filterOperations(observed, plan, carried),
    networks: plan.networks.map((network) => {
      const link = links.get(network);
      if (link === undefined || link.kind === "conflict") {
        const conflicts = link === undefined ? [] : [link.condition];
        return { network: network.network, link: [], additions: [], removals: [], fresh: false, conflicts };
      }
      // Deleting an interface, and setting it down, takes its routes along without a word (measured).
      const remaining = link.fresh
        ? observed.routes.filter(({ device }) => device !== network.link.name)
        : observed.routes;
      const routes = routeOperations(network.routes, remaining);
      const rules = ruleOperations(network.rules, observed.rules);
      const sysctls = network.sysctls.filter(({ name, value }) => link.fresh || observed.sysctls[name] !== value);
      const own = <T extends { readonly network?: string }>(entry: T) => entry.network === network.network;
      return {
        network: network.network,
        link: [...link.operations, ...sysctls.map((sysctl): Operation => ({ kind: "sysctl", sysctl })), ...link.up],
        additions: [...floodOperations(network, observed, link.fresh), ...routes.operations, ...rules.operations],
        removals: [
          ...obsolete.rules.filter(own).map(({ rule }) => deleteRule(rule)),
          ...obsolete.routes
            .filter((entry) => own(entry) && remaining.includes(entry.route))
            .map(({ route }) => deleteRoute(route)),
        ],
        fresh: link.fresh,
        conflicts: [...routes.conflicts, ...rules.conflicts],
      };
    }),
  };
}

/** What takes everything of ours out of the kernel; foreign objects stay. */
export function removeEverything(observed: ObservedState): readonly Operation[] {
  const { departed, filter } = diffPlan(observed, { networks: [], unplanned: [] });
  return [...departed, ...filter];
}

/** One table for the whole node. Networks that cannot be planned now keep their part while their interface is there. */
function filterOperations(
  observed: ObservedState,
  plan: NodePlan,
  carried: readonly NetworkPlan[],
): readonly Operation[] {
  const ours = new Set(observed.links.filter((link) => isOurLink(link)).map(({ name }) => name));
  const filters: readonly FilterPlan[] = [
    ...carried.map(({ filter }) => filter),
    ...plan.unplanned.map(({ filter }) => filter).filter(({ device }) => ours.has(device)),
  ];
  if (filters.length === 0) return observed.filter === undefined ? [] : [{ kind: "filter" }];
  const ruleset = nftRuleset(filters);
  return isSealed(observed.filter, ruleset) ? [] : [{ kind: "filter", ruleset }];
}

/** With BGP the forwarding entries come from routes, not from the plan. */
function floodOperations(network: NetworkPlan, observed: ObservedState, fresh: boolean): readonly Operation[] {
  if (network.link.kind !== "vxlan" || network.speaker !== undefined) return [];
  const device = network.link.name;
  const entries = fresh ? [] : (observed.forwarding[device] ?? []);
  return forwardingOperations(device, { flood: network.flood, hosts: [] }, entries);
}

function retainedBy({ network, link, routes, filter }: NetworkPlan): Retained {
  return { network, device: link.name, tables: routes.map(({ table }) => table), prefixes: filter.prefixes };
}
