import { familyOf } from "../address/prefix.js";
import { compareTexts } from "../node-plan/compare.js";
import { madeInterfaces, tunnelOf } from "../node-plan/link-parts.js";
import type { Family, NetworkPlan, PlanCondition, RulePlan, StaticAddressPlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { ruleKey } from "../node-plan/rule-key.js";
import { bridgeName } from "../numbers/interface-name.js";
import { mainTable } from "../numbers/routing-table.js";
import { networkOfAlias } from "../ownership/alias.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedLink, ObservedRoute, ObservedState } from "./observed-state.js";
import { ownRule, selectorKey } from "./rule-operations.js";
import { type Stay, stay } from "./stay.js";

/** A network whose part of the kernel's state stays as it is although the plan does not hold it. */
export interface Retained {
  readonly network: string;
  /** Of ours. */
  readonly interfaces: readonly string[];
  readonly tables: readonly number[];
  readonly prefixes: readonly string[];
  readonly staticAddresses?: readonly StaticAddressPlan[];
}

/** What is ours and wanted by nobody. `network` has the object's table still, so that only a part of it is obsolete. */
export interface ObsoleteObjects {
  /** In the order of removal: a guard, its rule, and exceptions last. */
  readonly rules: readonly { readonly rule: RulePlan; readonly network?: string }[];
  readonly routes: readonly { readonly route: ObservedRoute; readonly network?: string }[];
  readonly links: readonly string[];
  /** Bridges that stay although nobody wants them, because others have ports in them. */
  readonly usedBridges: readonly Stay[];
}

export function obsoleteObjects(
  observed: ObservedState,
  networks: readonly NetworkPlan[],
  retained: readonly Retained[],
): ObsoleteObjects {
  const ownRules = observed.rules.map(ownRule).filter((rule) => rule !== undefined);
  const tables = new TableLookup(ownRules);
  const owners = tableOwners(networks);
  const owner = (network: string | undefined) => (network === undefined ? {} : { network });
  const takers = selectorOwners(networks);
  const keptTables = new Set(retained.flatMap((network) => network.tables));
  const keptSources = new Set(retained.flatMap(({ prefixes }) => prefixes.map((from) => sourceKey(from))));
  return {
    rules: surplusRules(ownRules, networks)
      .filter(
        (rule) =>
          takers.has(selectorKey(rule)) ||
          (!keptTables.has(tables.of(rule) ?? mainTable) && !keptSources.has(selectorKey(rule))),
      )
      .map((rule) => ({ rule, ...owner(takers.get(selectorKey(rule)) ?? owners.get(tables.of(rule) ?? mainTable)) }))
      .sort((left, right) => right.rule.priority - left.rule.priority),
    routes: surplusRoutes(observed.routes, networks)
      .filter((route) => !keptTables.has(route.table))
      .map((route) => ({ route, ...owner(owners.get(route.table)) })),
    ...surplusLinks(observed.links, networks, retained),
  };
}

/** The table of a network by any of its rules: guards and exceptions name none, but select what their lookup rule selects. */
class TableLookup {
  private readonly bySelector: ReadonlyMap<string, number>;

  constructor(rules: readonly RulePlan[]) {
    this.bySelector = new Map(
      rules.flatMap((rule) => {
        const table = ownTable(rule);
        return table === undefined ? [] : [[selectorKey(rule), table] as const];
      }),
    );
  }

  of(rule: RulePlan): number | undefined {
    return ownTable(rule) ?? this.bySelector.get(selectorKey(rule));
  }
}

function ownTable({ action }: RulePlan): number | undefined {
  return action.kind === "lookup" && action.table !== mainTable ? action.table : undefined;
}

/**
 * The network that routes by a selector now. Where it takes a prefix over (`routing.replaces`), it removes the rules of the
 * one before after its own have come, so that no packet meets a gap.
 */
function selectorOwners(networks: readonly NetworkPlan[]): ReadonlyMap<string, string> {
  return new Map(
    networks.flatMap(({ network, rules }) =>
      rules.filter((rule) => ownTable(rule) !== undefined).map((rule) => [selectorKey(rule), network] as const),
    ),
  );
}

/** The network that has a table now. */
function tableOwners(networks: readonly NetworkPlan[]): ReadonlyMap<number, string> {
  return new Map(networks.flatMap(({ network, routes }) => routes.map(({ table }) => [table, network] as const)));
}

function sourceKey(from: string): string {
  const family: Family = familyOf(from);
  return selectorKey({ family, from });
}

/** Of equal rules one is wanted; netlink lets other programs add the same rule twice. */
function surplusRules(rules: readonly RulePlan[], networks: readonly NetworkPlan[]): readonly RulePlan[] {
  const wanted = new Set(networks.flatMap((network) => network.rules.map(ruleKey)));
  return rules.filter((rule) => !wanted.delete(ruleKey(rule)));
}

function surplusRoutes(routes: readonly ObservedRoute[], networks: readonly NetworkPlan[]): readonly ObservedRoute[] {
  const wanted = new Set(networks.flatMap((network) => network.routes.map(routeKey)));
  const surplus = routes.filter((route) => route.protocol === routeProtocol && !wanted.has(routeKey(route)));
  // A plain one is deleted by its destination alone, which would take another IPv6 route of a lower metric first.
  return [...surplus.filter(({ plain }) => !plain), ...surplus.filter(({ plain }) => plain)];
}

/** Deleting a bridge cuts off the machines behind its ports, which are not ours to decide on. */
function surplusLinks(
  links: readonly ObservedLink[],
  networks: readonly NetworkPlan[],
  retained: readonly Retained[],
): Pick<ObsoleteObjects, "links" | "usedBridges"> {
  const kept = new Set([
    ...networks.flatMap(({ link }) => madeInterfaces(link)),
    ...retained.flatMap(({ interfaces }) => interfaces),
  ]);
  const surplus = links.filter((link) => isMarkedOurs(link) && !kept.has(link.name));
  const isForeignPort = (link: ObservedLink) => link.master !== undefined && !isMarkedOurs(link);
  const ports = surplus.length === 0 ? new Map() : Map.groupBy(links.filter(isForeignPort), ({ master }) => master);
  const users = (name: string): readonly ObservedLink[] => ports.get(name) ?? [];
  return {
    links: surplus.map(({ name }) => name).filter((name) => users(name).length === 0),
    usedBridges: surplus.flatMap((bridge) => {
      const condition = usedBridge(bridge.name, users(bridge.name));
      return condition === undefined ? [] : [stay(condition, bridgeOwner(bridge, networks))];
    }),
  };
}

/** By its alias; where somebody wrote another, by its number, as long as the network is there. */
function bridgeOwner({ name, alias }: ObservedLink, networks: readonly NetworkPlan[]): string | undefined {
  const isOfSegment = ({ link }: NetworkPlan): boolean => {
    const vni = tunnelOf(link)?.vni;
    return vni !== undefined && bridgeName(vni) === name;
  };
  return networkOfAlias(alias) ?? networks.find(isOfSegment)?.network;
}

function usedBridge(bridge: string, ports: readonly ObservedLink[]): PlanCondition | undefined {
  if (ports.length === 0) return undefined;
  const names = ports.map(({ name }) => name).sort(compareTexts);
  const commands = names.map((name) => `ip link set dev ${name} nomaster`).join("; ");
  const message = `bridge ${bridge} stays as long as others have ports in it (${names.join(", ")}); take them off with: ${commands}`;
  return { reason: "BridgeInUse", message };
}
