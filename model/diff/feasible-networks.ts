import type { Family, NetworkPlan, NodePlan, PlanCondition, RulePlan } from "../node-plan/node-plan.js";
import { mainTable } from "../numbers/routing-table.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { ObservedState } from "./observed-state.js";

/** Conditions of a plan under which it is not carried out whole, so that nobody may call it applied. */
const incomplete: ReadonlySet<string> = new Set(["LocalRuleTooLate"]);

/** What a kernel can take of a plan, and why it cannot take the rest, by network. */
export interface FeasibleNetworks {
  readonly plan: NodePlan;
  readonly obstacles: ReadonlyMap<string, readonly PlanCondition[]>;
}

/**
 * While another program's default route stands where ours should, a network keeps its guards and has no lookup rule: it would
 * lead packets from public addresses to a gateway that is not theirs.
 */
export function feasibleNetworks(observed: ObservedState, plan: NodePlan): FeasibleNetworks {
  const steered = new Set(
    observed.routes
      .filter(({ destination, protocol }) => destination === "default" && protocol !== routeProtocol)
      .map(tableKey),
  );
  const obstacles = new Map<string, readonly PlanCondition[]>();
  const networks = plan.networks.map((network): NetworkPlan => {
    const left = network.rules.filter((rule) => isSteered(rule, steered));
    const found = [
      ...(network.conditions ?? []).filter(({ reason }) => incomplete.has(reason)),
      ...steeredTables(left).map(lookupLeftOut),
    ];
    if (found.length > 0) obstacles.set(network.network, found);
    return left.length === 0 ? network : { ...network, rules: network.rules.filter((rule) => !left.includes(rule)) };
  });
  return { plan: { ...plan, networks }, obstacles };
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
function steeredTables(rules: readonly RulePlan[]): readonly FamilyTable[] {
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
