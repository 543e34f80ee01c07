import { overlaps, type Prefix, parsePrefix } from "../address/prefix.js";
import type { Family, PlanCondition, RoutePlan, RulePlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { localTable } from "../numbers/routing-table.js";
import { lastRulePriority } from "../numbers/rule-priorities.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedRoute, ObservedRule, ObservedState } from "./observed-state.js";
import { foreignRoute } from "./route-operations.js";

/** What other programs have in the way of our packets, found without reading all of it for each network. */
export interface ForeignSteering {
  /** Rules that may take packets before ours, by their source alone. */
  readonly rules: readonly { readonly rule: ObservedRule; readonly from: Prefix | undefined }[];
  readonly routesByTable: ReadonlyMap<string, readonly ObservedRoute[]>;
}

/**
 * Rules with a destination, a mark or a further selector take a part that somebody wanted apart: exceptions of a CNI, marks of an
 * overlay. One that takes everything takes nothing while its table has no default route (strongSwan's `from all lookup 220`).
 */
export function foreignSteering({ rules, routes, defaultRoutes }: ObservedState): ForeignSteering {
  const defaults = new Set((defaultRoutes ?? []).map(tableKey));
  const carries = ({ family, from, action }: ObservedRule): boolean =>
    action.kind !== "lookup" ||
    (action.table !== localTable && (from !== undefined || defaults.has(tableKey({ family, table: action.table }))));
  return {
    rules: rules
      .filter(
        (rule) =>
          rule.protocol !== routeProtocol &&
          rule.plain &&
          rule.priority <= lastRulePriority &&
          rule.to === undefined &&
          rule.mark === undefined &&
          carries(rule),
      )
      .map((rule) => ({ rule, from: rule.from === undefined ? undefined : parsePrefix(rule.from) })),
    routesByTable: Map.groupBy(
      routes.filter(({ protocol }) => protocol !== routeProtocol),
      tableKey,
    ),
  };
}

/** Rules of others that take packets from a network's prefixes before its source rules do. */
export function steeredElsewhere(plan: readonly RulePlan[], { rules }: ForeignSteering): readonly PlanCondition[] {
  if (rules.length === 0) return [];
  return plan.flatMap((ours) => {
    const from = ours.from === undefined ? undefined : parsePrefix(ours.from);
    if (from === undefined || ours.to !== undefined || ours.action.kind !== "lookup") return [];
    return rules
      .filter((other) => other.rule.family === ours.family && other.rule.priority < ours.priority)
      .filter((other) => other.from === undefined || overlaps(other.from, from))
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

function steeringRule(rule: ObservedRule, ours: RulePlan): PlanCondition {
  const action = rule.action.kind === "lookup" ? ` lookup ${rule.action.table}` : "";
  return {
    reason: "ForeignRule",
    message:
      `another program's rule (protocol ${rule.protocol}) at priority ${rule.priority} from ${rule.from ?? "all"}${action} ` +
      `takes packets from ${ours.from} before ours at ${ours.priority}; remove it or move it behind ${lastRulePriority}`,
  };
}
