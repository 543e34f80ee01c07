import { familyOf } from "../address/prefix.js";
import type { Family, NetworkPlan, NodePlan, PlanCondition, RulePlan } from "../node-plan/node-plan.js";
import { mainTable } from "../numbers/routing-table.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedState } from "./observed-state.js";
import { disableIpv6Sysctl } from "./sysctl-changes.js";

/** Conditions of a plan under which it is not carried out whole, so that nobody may call it applied. */
const incomplete: ReadonlySet<string> = new Set(["LocalRuleTooLate"]);

/** What a kernel can take of a plan, and why it cannot take the rest, by network. */
export interface FeasibleNetworks {
  readonly plan: NodePlan;
  readonly obstacles: ReadonlyMap<string, readonly PlanCondition[]>;
}

/** A network as far as the kernel takes it, and why not the rest. */
interface Feasible {
  readonly network: NetworkPlan;
  readonly obstacles: readonly PlanCondition[];
}

/** Nothing that must fail is tried: what an administrator or another program has decided is said instead. */
export function feasibleNetworks(observed: ObservedState, plan: NodePlan): FeasibleNetworks {
  const steered = steeredTables(observed);
  const obstacles = new Map<string, readonly PlanCondition[]>();
  const networks = plan.networks.map((wanted): NetworkPlan => {
    const unsteered = withoutSteered(wanted, steered);
    const { network, obstacles: withoutIpv6 } = withIpv6OfNode(unsteered.network, observed);
    const found = [
      ...(wanted.conditions ?? []).filter(({ reason }) => incomplete.has(reason)),
      ...unsteered.obstacles,
      ...withoutIpv6,
    ];
    if (found.length > 0) obstacles.set(wanted.network, found);
    return network;
  });
  const unplanned =
    observed.ipv6 === false
      ? plan.unplanned.map((network) => ({ ...network, rules: network.rules.filter(isIpv4) }))
      : plan.unplanned;
  return { plan: { ...plan, networks, unplanned }, obstacles };
}

/**
 * Without IPv6 in the kernel there is no packet that its rules would guard. Where IPv6 is only switched off for an interface of
 * somebody else they stand, and refuse what would leave by the main table.
 */
function withIpv6OfNode(network: NetworkPlan, observed: ObservedState): Feasible {
  const prefixes = network.filter.prefixes.filter((prefix) => familyOf(prefix) === 6);
  if (prefixes.length === 0) return { network, obstacles: [] };
  const routes = network.routes.filter(isIpv4);
  if (observed.ipv6 === false) {
    const rules = network.rules.filter(isIpv4);
    return { network: { ...network, routes, rules }, obstacles: [noIpv6(prefixes)] };
  }
  const { kind, name } = network.link;
  const isDisabled = kind === "adopted" && observed.sysctls[disableIpv6Sysctl(name)] === "1";
  if (!isDisabled || routes.length === network.routes.length) return { network, obstacles: [] };
  return { network: { ...network, routes }, obstacles: [ipv6Disabled(name, prefixes)] };
}

function isIpv4({ family }: { readonly family: Family }): boolean {
  return family === 4;
}

function noIpv6(prefixes: readonly string[]): PlanCondition {
  return {
    reason: "Ipv6Disabled",
    message:
      `the kernel of this node runs no IPv6, so that nothing of ${prefixes.join(", ")} is carried here; IPv4 is not touched; ` +
      "boot it without ipv6.disable=1, or keep the network off this node with nodeSelector",
  };
}

function ipv6Disabled(device: string, prefixes: readonly string[]): PlanCondition {
  const sysctl = disableIpv6Sysctl(device);
  return {
    reason: "Ipv6Disabled",
    message:
      `${sysctl} is 1 on an interface that was not made by this agent: packets from ${prefixes.join(", ")} are refused on this ` +
      `node; IPv4 is not touched; allow IPv6 with: sysctl -w ${sysctl}=0, and for good with that line in a file of ` +
      "/etc/sysctl.d that is read after those with disable_ipv6 = 1 for all or default",
  };
}

/** Tables in which another program's default route stands where ours should. */
function steeredTables({ routes }: ObservedState): ReadonlySet<string> {
  return new Set(
    routes.filter(({ destination, protocol }) => destination === "default" && protocol !== routeProtocol).map(tableKey),
  );
}

/**
 * While another program's default route stands where ours should, a network keeps its guards and has no lookup rule: it would
 * lead packets from public addresses to a gateway that is not theirs.
 */
function withoutSteered(network: NetworkPlan, steered: ReadonlySet<string>): Feasible {
  const left = network.rules.filter((rule) => isSteered(rule, steered));
  if (left.length === 0) return { network, obstacles: [] };
  const rules = network.rules.filter((rule) => !left.includes(rule));
  return { network: { ...network, rules }, obstacles: lookedUpTables(left).map(lookupLeftOut) };
}

function isSteered({ family, action }: RulePlan, steered: ReadonlySet<string>): boolean {
  return (
    action.kind === "lookup" && action.table !== mainTable && steered.has(tableKey({ family, table: action.table }))
  );
}

interface FamilyTable {
  readonly family: Family;
  readonly table: number;
}

/** Each once: a table has a rule by source and one by mark. */
function lookedUpTables(rules: readonly RulePlan[]): readonly FamilyTable[] {
  const tables = rules.flatMap(({ family, action }) =>
    action.kind === "lookup" ? [{ family, table: action.table }] : [],
  );
  return [...new Map(tables.map((table) => [tableKey(table), table])).values()];
}

function tableKey({ family, table }: FamilyTable): string {
  return `${family} ${table}`;
}

function lookupLeftOut({ family, table }: FamilyTable): PlanCondition {
  return {
    reason: "ForeignRoute",
    message:
      `no rule looks up table ${table} while another program's IPv${family} default route is in it: packets of this network ` +
      `are answered with "unreachable"; see it with: ip -${family} route show table ${table}`,
  };
}
