import { containsPrefix, overlaps, type Prefix, parsePrefix } from "../address/prefix.js";
import type { Family, PlanCondition, RoutePlan, RulePlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { localTable, mainTable } from "../numbers/routing-table.js";
import { lastRulePriority, mainRulePriority } from "../numbers/rule-priorities.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedRoute, ObservedRule, ObservedState } from "./observed-state.js";
import { foreignRoute } from "./route-operations.js";
import { type RuleReach, ruleReach } from "./rule-reach.js";

/** What other programs have in the way of our packets, found without reading all of it for each network. */
export interface ForeignSteering {
  /** Rules that may take packets before ours. */
  readonly rules: readonly { readonly rule: ObservedRule; readonly reach: RuleReach }[];
  readonly routesByTable: ReadonlyMap<string, readonly ObservedRoute[]>;
  /** In which no rule looks the main table up for all packets, as the kernel's own does. */
  readonly withoutMain: ReadonlySet<Family>;
}

/** A rule that takes everything takes nothing while its table has no default route (strongSwan's `from all lookup 220`). */
export function foreignSteering({ rules, routes, defaultRoutes }: ObservedState): ForeignSteering {
  const defaults = new Set((defaultRoutes ?? []).map(tableKey));
  const carries = ({ family, action }: ObservedRule, reach: RuleReach): boolean =>
    action.kind !== "lookup" ||
    (action.table !== localTable &&
      (reach.from !== undefined || defaults.has(tableKey({ family, table: action.table }))));
  return {
    rules: rules
      .filter(({ protocol, priority }) => protocol !== routeProtocol && priority <= lastRulePriority)
      .flatMap((rule) => {
        const reach = ruleReach(rule);
        return reach !== undefined && carries(rule, reach) ? [{ rule, reach }] : [];
      }),
    routesByTable: Map.groupBy(
      routes.filter(({ protocol }) => protocol !== routeProtocol),
      tableKey,
    ),
    withoutMain: withoutMain(rules),
  };
}

/** A family of which no rule but ours is known is none of the node's, for the local table's rule always stands. */
function withoutMain(rules: readonly ObservedRule[]): ReadonlySet<Family> {
  const others = rules.filter(({ protocol }) => protocol !== routeProtocol);
  const having = new Set(others.filter(looksUpMain).map(({ family }) => family));
  return new Set(others.map(({ family }) => family).filter((family) => !having.has(family)));
}

/** Without its default route too (`suppress_prefixlength 0` of a VPN): it shows that somebody has arranged main on purpose. */
function looksUpMain({ action, from, to, mark, further }: ObservedRule): boolean {
  const isPart = further !== undefined && (further.inverted || further.others || further.iif !== undefined);
  const isAnyPacket = from === undefined && to === undefined && mark === undefined && !isPart;
  return isAnyPacket && action.kind === "lookup" && action.table === mainTable;
}

/**
 * Our exceptions look the main table up themselves, but what they are for comes by the kernel's own rule: requests that are translated
 * to pods, the underlay's packets, whatever leaves the node in its own name (measured).
 */
export function mainPassedOver(plan: readonly RulePlan[], steering: ForeignSteering): readonly PlanCondition[] {
  return [...new Set(plan.map(({ family }) => family))]
    .filter((family) => steering.withoutMain.has(family))
    .map((family) => ({
      reason: "MainTableNotLookedUp",
      message:
        `no IPv${family} rule looks up the main table for all packets: requests find no way to pods and other nodes; ` +
        `bring it back with: ip -${family} rule add priority ${mainRulePriority} lookup main`,
    }));
}

/** Rules of others that take packets from a network's prefixes before its source rules do. */
export function steeredElsewhere(plan: readonly RulePlan[], { rules }: ForeignSteering): readonly PlanCondition[] {
  if (rules.length === 0) return [];
  return plan.flatMap((ours) => {
    const from = ours.from === undefined ? undefined : parsePrefix(ours.from);
    if (from === undefined || ours.to !== undefined || ours.action.kind !== "lookup") return [];
    return rules
      .filter(({ rule }) => rule.family === ours.family && rule.priority < ours.priority && !endsBefore(rule, ours))
      .filter(({ reach }) => takesSome(reach, from))
      .map(({ rule }) => steeringRule(rule, ours));
  });
}

/**
 * Routes of others in a network's tables beside ours. Those with the destination of one of ours are in its way and are
 * reported there.
 *
 * @param lost an interface whose routes go with it
 */
export function routesBeside(
  plan: readonly RoutePlan[],
  { routesByTable }: ForeignSteering,
  lost?: string,
): readonly PlanCondition[] {
  const ours = new Set(plan.map(routeKey));
  return [...new Set(plan.map(tableKey))]
    .flatMap((table) => routesByTable.get(table) ?? [])
    .filter((route) => !ours.has(routeKey(route)) && (lost === undefined || route.device !== lost))
    .map(foreignRoute);
}

function tableKey({ family, table }: { readonly family: Family; readonly table: number }): string {
  return `${family} ${table}`;
}

/** A jump that does not go past our rule. */
function endsBefore({ action }: ObservedRule, ours: RulePlan): boolean {
  return action.kind === "goto" && action.priority <= ours.priority;
}

function takesSome({ from, except }: RuleReach, source: Prefix): boolean {
  if (except !== undefined) return !containsPrefix(except, source);
  return from === undefined || overlaps(from, source);
}

/** As iproute2 prints it, so that it is found by that. */
function ruleText(rule: ObservedRule): string {
  return rule.words ?? `from ${rule.from ?? "all"}${actionText(rule)}`;
}

function actionText({ action }: ObservedRule): string {
  if (action.kind === "lookup") return ` lookup ${action.table}`;
  if (action.kind === "goto") return ` goto ${action.priority}`;
  return action.kind === "unreachable" ? " unreachable" : "";
}

function steeringRule(rule: ObservedRule, ours: RulePlan): PlanCondition {
  return {
    reason: "ForeignRule",
    message:
      `another program's rule (protocol ${rule.protocol}) at priority ${rule.priority} ${ruleText(rule)} ` +
      `takes packets from ${ours.from} before ours at ${ours.priority}; remove it or move it behind ${lastRulePriority}`,
  };
}
