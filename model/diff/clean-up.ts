import type { PlanCondition } from "../node-plan/node-plan.js";
import { reservedTables } from "../numbers/routing-table.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { isOwnAddress } from "./address-operations.js";
import { diffPlan, operationsOf } from "./diff-plan.js";
import { deleteLink } from "./link-operations.js";
import type { ObservedLink, ObservedRoute, ObservedRule, ObservedState } from "./observed-state.js";
import { type Operation, operationText } from "./operation.js";
import { ownRule } from "./rule-operations.js";

/** What takes everything of ours out of the kernel, and what becomes of the rest. */
export interface CleanUpPlan {
  /** In the order in which they have to happen. */
  readonly operations: readonly Operation[];
  readonly stays: readonly Remaining[];
  /** What others have on interfaces of ours: the kernel deletes it with them, without a command. */
  readonly goesAlong: readonly string[];
}

export interface Remaining extends PlanCondition {
  /** It is ours, and should have gone. */
  readonly ours: boolean;
}

/** Foreign objects stay; those that touch ours are named, with the reason. */
export function cleanUpPlan(observed: ObservedState): CleanUpPlan {
  const needed = diffPlan(observed, { networks: [], unplanned: [] });
  const operations = operationsOf(needed);
  const commands = new Set(operations.map(operationText));
  const going = new Set(
    observed.links.map(({ name }) => name).filter((name) => commands.has(operationText(deleteLink(name)))),
  );
  return {
    operations,
    stays: [
      ...needed.stays.map(({ reason, message }) => ({ reason, message, ours: true })),
      ...usedInterfaces(observed).map((condition) => ({ ...condition, ours: false })),
      ...foreignRules(observed).map((condition) => ({ ...condition, ours: false })),
      ...foreignRoutes(observed, going).map((condition) => ({ ...condition, ours: false })),
    ],
    goesAlong: goesAlong(observed, going),
  };
}

/** Adopted ones: routes of ours use them, and they are not ours. */
function usedInterfaces({ routes, links }: ObservedState): readonly PlanCondition[] {
  const used = new Set(routes.filter(isOurRoute).map(({ device }) => device));
  return links
    .filter((link) => used.has(link.name) && !isMarkedOurs(link))
    .map((link) => ({
      reason: "AdoptedInterface",
      message: `interface ${link.name}${vlanOf(link)}: it was not made by this agent, which only used it`,
    }));
}

function vlanOf({ vlan, parent }: ObservedLink): string {
  return vlan === undefined || parent === undefined ? "" : ` (VLAN ${vlan.id} on ${parent})`;
}

function isOurRoute({ protocol }: ObservedRoute): boolean {
  return protocol === routeProtocol;
}

/** Tables in which we have something, in either family; those of the kernel are everybody's, whoever has put a route of ours there. */
function ourTables({ routes, rules }: ObservedState): ReadonlySet<number> {
  const tables = [...routes.filter(isOurRoute).map(({ table }) => table), ...rules.flatMap(lookedUpByUs)];
  return new Set(tables.filter((table) => !reservedTables.has(table)));
}

function lookedUpByUs(observed: ObservedRule): readonly number[] {
  const action = ownRule(observed)?.action;
  return action?.kind === "lookup" ? [action.table] : [];
}

/** Those that use a table of ours or stand at a priority of ours: whoever looks for leftovers would take them for some. */
function foreignRules(observed: ObservedState): readonly PlanCondition[] {
  const tables = ourTables(observed);
  const place = ({ family, priority }: ObservedRule) => `${family} ${priority}`;
  const ours = new Set(observed.rules.filter((rule) => ownRule(rule) !== undefined).map(place));
  const isNear = (rule: ObservedRule): boolean =>
    ours.has(place(rule)) || (rule.action.kind === "lookup" && tables.has(rule.action.table));
  return observed.rules
    .filter((rule) => rule.protocol !== routeProtocol && isNear(rule))
    .map((rule) => ({
      reason: "ForeignRule",
      message: `${ruleText(rule)}: another program set it (protocol ${rule.protocol})`,
    }));
}

function ruleText({ family, priority, from, to, action }: ObservedRule): string {
  return [
    `IPv${family} rule at priority ${priority}`,
    `from ${from ?? "all"}`,
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(action.kind === "lookup" ? [`lookup ${action.table}`] : []),
  ].join(" ");
}

function foreignRoutes(observed: ObservedState, going: ReadonlySet<string>): readonly PlanCondition[] {
  return routesBesideOurs(observed)
    .filter(({ device }) => device === undefined || !going.has(device))
    .map((route) => ({
      reason: "ForeignRoute",
      message: `${routeText(route)}: another program set it (protocol ${route.protocol})`,
    }));
}

function routesBesideOurs(observed: ObservedState): readonly ObservedRoute[] {
  const tables = ourTables(observed);
  return observed.routes.filter((route) => !isOurRoute(route) && tables.has(route.table));
}

function routeText({ family, destination, gateway, device, table }: ObservedRoute): string {
  return [
    `IPv${family} route ${destination}`,
    ...(gateway === undefined ? [] : [`via ${gateway}`]),
    ...(device === undefined ? [] : [`dev ${device}`]),
    `in table ${table}`,
  ].join(" ");
}

function goesAlong(observed: ObservedState, going: ReadonlySet<string>): readonly string[] {
  const { links, addresses } = observed;
  return [
    ...links
      .filter(({ name, parent }) => parent !== undefined && going.has(parent) && !going.has(name))
      .map(({ name, parent }) => `interface ${name} with ${parent}, on which it stands`),
    ...addresses
      .filter((address) => going.has(address.device) && !isLinkLocal(address.address) && !isOwnAddress(address))
      .map(({ device, address, prefixLength }) => `address ${address}/${prefixLength} with ${device}`),
    ...routesBesideOurs(observed)
      .filter(({ device }) => device !== undefined && going.has(device))
      .map((route) => `${routeText(route)} with ${route.device}`),
  ];
}

/** fe80::/10 (RFC 4291 section 2.5.6): the kernel gives one to every interface by itself. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}
