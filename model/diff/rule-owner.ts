import { containsPrefix, parsePrefix } from "../address/prefix.js";
import type { NodePlan, RulePlan } from "../node-plan/node-plan.js";
import { mainTable } from "../numbers/routing-table.js";
import type { ObservedRule } from "./observed-state.js";

/**
 * The network of a plan to which a rule of any form belongs: by the table that it looks up, else by the mark, else by the
 * longest prefix that holds its source. Its priority says nothing, for all networks share theirs.
 */
export function ruleOwner(rule: ObservedRule, { networks, unplanned }: NodePlan): string | undefined {
  const all = [
    ...networks.map(({ network, rules, routes }) => ({ network, rules, tables: routes.map(({ table }) => table) })),
    ...unplanned,
  ];
  const { action } = rule;
  const byTable =
    action.kind === "lookup" && action.table !== mainTable
      ? all.find(({ tables }) => tables.includes(action.table))
      : undefined;
  const byMark = rule.mark === undefined ? undefined : all.find(({ rules }) => rules.some((own) => hasMark(own, rule)));
  return (byTable ?? byMark)?.network ?? sourceOwner(rule, all);
}

function hasMark({ family, mark }: RulePlan, rule: ObservedRule): boolean {
  return family === rule.family && mark?.value === rule.mark?.value && mark?.mask === rule.mark?.mask;
}

function sourceOwner(
  rule: ObservedRule,
  networks: readonly { readonly network: string; readonly rules: readonly RulePlan[] }[],
): string | undefined {
  const source = rule.from === undefined ? undefined : parsePrefix(rule.from);
  if (source === undefined) return undefined;
  const holders = networks.flatMap(({ network, rules }) =>
    rules.flatMap(({ from }) => {
      const prefix = from === undefined ? undefined : parsePrefix(from);
      return prefix !== undefined && containsPrefix(prefix, source) ? [{ network, length: prefix.length }] : [];
    }),
  );
  return holders.toSorted((one, other) => other.length - one.length)[0]?.network;
}
