import { segmentInterface, tunnelOf } from "../node-plan/link-parts.js";
import type { NetworkPlan, NodePlan, PlanCondition, RulePlan, SysctlPlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { addressOperations, deleteAddress } from "./address-operations.js";
import { carriedNetworks } from "./carried-networks.js";
import { feasibleNetworks } from "./feasible-networks.js";
import { isSealed } from "./filter-seal.js";
import { foreignSteering, mainPassedOver, routesBeside, steeredElsewhere } from "./foreign-steering.js";
import { forwardingOperations } from "./forwarding-operations.js";
import { linkLocalOperations } from "./link-local-operations.js";
import { deleteLink } from "./link-operations.js";
import type { ObservedState } from "./observed-state.js";
import { offloadOperations } from "./offload-operations.js";
import type { Operation } from "./operation.js";
import { deleteRoute, routeOperations } from "./route-operations.js";
import {
  deleteRule,
  type HeldRules,
  heldRules,
  ruleOperations,
  type StrayRemoval,
  strayRules,
} from "./rule-operations.js";
import type { Stay } from "./stay.js";
import { sysctlChanges, sysctlsGivenUp } from "./sysctl-changes.js";

/** What makes the kernel equal to a node plan, in the order in which it has to happen. */
export interface PlanDiff {
  /** Removes rules with our protocol in a form that no plan has: before ours are added, which they would keep out. */
  readonly strayRules: readonly StrayRemoval[];
  /**
   * Rules by source of networks that cannot be planned now: packets from their prefixes must not leave by the main table. First,
   * as nothing of them can be put off.
   */
  readonly guards: readonly Operation[];
  /** Removes routes, addresses and interfaces that belong to no network any more, while their filter is still loaded. */
  readonly departed: readonly Operation[];
  /** Of ours, what cannot go: others use it, or there is no command that names it alone. */
  readonly stays: readonly Stay[];
  /** Loads our nft table, before any interface in it is set up. */
  readonly filter: readonly Operation[];
  readonly networks: readonly NetworkDiff[];
  /**
   * Removes rules that belong to no network any more. They come last: as long as packets may carry their mark or come from their
   * prefix, their guards keep these out of the main table.
   */
  readonly departedRules: readonly Operation[];
}

export interface NetworkDiff {
  readonly network: string;
  /**
   * Rules, before all else: a mark that nft sets and no rule takes would lead to the main table, and so would the prefix of a
   * network whose interface cannot be made. Exceptions come before what they except from, guards after their rule. Where a prefix
   * changes hands the kernel puts a new rule behind the older one of its priority (fib_nl_newrule), which routes until it
   * is removed.
   */
  readonly rules: readonly Operation[];
  /** Interface and sysctls; when one fails, nothing after it can succeed. */
  readonly link: readonly Operation[];
  /** Offloads, addresses, flood list and routes: what can fail alone. */
  readonly additions: readonly Operation[];
  /** What the network had and does not have any more; last, so that no packet meets a gap. */
  readonly removals: readonly Operation[];
  /** The interface that holds the FDB entries is made anew, so it starts without any. */
  readonly fresh: boolean;
  /** Foreign objects in the way. They are left alone; what they block is missing, what they steer goes elsewhere. */
  readonly conflicts: readonly PlanCondition[];
}

/**
 * Compares the kernel with the plan. Only what is ours (protocol number, alias, nft table) is changed or removed; what networks
 * hold that cannot be planned now, or whose interface is another's, stays.
 */
export function diffPlan(observed: ObservedState, wanted: NodePlan): PlanDiff {
  const { plan, obstacles } = feasibleNetworks(observed, wanted);
  const { links, carried, obsolete, obsoleteAddresses, gone, ruleset } = carriedNetworks(observed, plan);
  const departed = new Set(obsolete.links);
  const routesByKey = Map.groupBy(
    observed.routes.filter(({ device }) => device === undefined || !departed.has(device)),
    routeKey,
  );
  const rulesHeld = heldRules(observed.rules);
  const strays = strayRules(observed.rules, plan);
  const foreign = foreignSteering(observed);
  const heldLinks = new Map(observed.links.map((held) => [held.name, held]));
  const rulesByNetwork = Map.groupBy(obsolete.rules, ({ network }) => network);
  const routesByNetwork = Map.groupBy(obsolete.routes, ({ network }) => network);
  const deletedRules = (network: string | undefined) =>
    (rulesByNetwork.get(network) ?? []).map(({ rule }) => deleteRule(rule));
  const routesOf = (network: string | undefined) => (routesByNetwork.get(network) ?? []).map(({ route }) => route);

  const used = new Set(carried.map((network) => network.link.name));

  return {
    strayRules: strays.removals,
    guards: plan.unplanned.flatMap(({ rules }) => bySource(rules, rulesHeld)),
    departed: [
      ...routesOf(undefined).map(deleteRoute),
      ...obsoleteAddresses.filter(({ device }) => !used.has(device)).map(deleteAddress),
      ...obsolete.links.map(deleteLink),
    ],
    stays: [...obsolete.usedBridges, ...strays.stays],
    filter: filterOperations(observed, ruleset),
    networks: plan.networks.map((network) => {
      const link = links.get(network);
      if (link === undefined || link.kind === "conflict") {
        const conflicts = [...(link === undefined ? [] : [link.condition]), ...(obstacles.get(network.network) ?? [])];
        const rules = bySource(network.rules, rulesHeld);
        return { network: network.network, rules, link: [], additions: [], removals: [], fresh: false, conflicts };
      }
      // Deleting an interface, and setting it down, takes its routes along without a word (measured).
      const made = new Set(link.made);
      const routes = routeOperations(network.routes, routesByKey, made);
      const leftRoutes = routesOf(network.network).filter(({ device }) => device === undefined || !gone.has(device));
      const rules = ruleOperations(network.rules, rulesHeld);
      const offloads = offloadOperations(network, observed, heldLinks, made);
      const isNew = made.has(network.link.name);
      const sysctls = sysctlChanges(network, observed, isNew).map(setSysctl);
      const givenUp = sysctlsGivenUp(network, observed, isNew).map(setSysctl);
      return {
        network: network.network,
        rules: rules.operations,
        link: [...link.operations, ...sysctls, ...link.up],
        additions: [
          ...offloads.operations,
          ...linkLocalOperations(network, isNew ? undefined : heldLinks.get(network.link.name), observed),
          ...addressOperations(network, observed.addresses, isNew),
          ...floodOperations(network, observed, made),
          ...routes.operations,
        ],
        removals: [
          ...deletedRules(network.network),
          ...routes.surplus,
          ...leftRoutes.map(deleteRoute),
          ...obsoleteAddresses.filter(({ device }) => device === network.link.name).map(deleteAddress),
          ...givenUp,
        ],
        fresh: made.has(segmentInterface(network.link)),
        conflicts: [
          ...(obstacles.get(network.network) ?? []),
          ...offloads.conflicts,
          ...routes.conflicts,
          ...routesBeside(network.routes, foreign, isNew ? network.link.name : undefined),
          ...rules.conflicts,
          ...steeredElsewhere(network.rules, foreign),
          ...mainPassedOver(network.rules, foreign),
        ],
      };
    }),
    departedRules: deletedRules(undefined),
  };
}

/** A part of the operations, and what it is for. */
export interface PlanStep {
  /**
   * `guards`: rules of networks that cannot be planned now. `rules`: those of a network. `removal`: what belongs to no network any more. `filter`: the nft table, which all
   * networks share. `network`: the rest of a network.
   */
  readonly kind: "guards" | "rules" | "removal" | "filter" | "network";
  /** Of `rules` and `network`. */
  readonly network?: string;
  readonly operations: readonly Operation[];
}

/** The order in which the operations have to happen; no step is empty. */
export function stepsOf({
  strayRules,
  guards,
  departed,
  filter,
  networks,
  departedRules,
}: PlanDiff): readonly PlanStep[] {
  const steps: readonly PlanStep[] = [
    { kind: "removal", operations: strayRules.map(({ operation }) => operation) },
    { kind: "guards", operations: guards },
    ...networks.map(({ network, rules }) => ({ kind: "rules", network, operations: rules }) as const),
    { kind: "removal", operations: departed },
    { kind: "filter", operations: filter },
    ...networks.map(
      ({ network, link, additions, removals }) =>
        ({ kind: "network", network, operations: [...link, ...additions, ...removals] }) as const,
    ),
    { kind: "removal", operations: departedRules },
  ];
  return steps.filter(({ operations }) => operations.length > 0);
}

/** The operations of all {@link stepsOf}. */
export function operationsOf(diff: PlanDiff): readonly Operation[] {
  return stepsOf(diff).flatMap(({ operations }) => operations);
}

/** Without an interface nothing is marked. */
function bySource(rules: readonly RulePlan[], held: HeldRules): readonly Operation[] {
  const guarding = rules.filter(({ mark }) => mark === undefined);
  return ruleOperations(guarding, held).operations;
}

function filterOperations(observed: ObservedState, ruleset: string | undefined): readonly Operation[] {
  if (ruleset === undefined) return observed.filter === undefined ? [] : [{ kind: "filter" }];
  return isSealed(observed.filter, ruleset) ? [] : [{ kind: "filter", ruleset }];
}

function setSysctl(sysctl: SysctlPlan): Operation {
  return { kind: "sysctl", sysctl };
}

/** With BGP the forwarding entries come from routes, not from the plan. */
function floodOperations(
  network: NetworkPlan,
  observed: ObservedState,
  made: ReadonlySet<string>,
): readonly Operation[] {
  const tunnel = tunnelOf(network.link);
  if (tunnel === undefined || network.speaker !== undefined) return [];
  const entries = made.has(tunnel.name) ? [] : (observed.forwarding[tunnel.name] ?? []);
  return forwardingOperations(tunnel.name, { flood: network.flood, hosts: [] }, entries);
}
