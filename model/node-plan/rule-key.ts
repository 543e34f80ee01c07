import type { RulePlan } from "./node-plan.js";

/** Names a rule whole: the kernel takes a second rule with the same priority and selector, so no part may be left out. */
export function ruleKey(rule: RulePlan): string {
  const action = rule.action.kind === "lookup" ? `lookup ${rule.action.table}` : "unreachable";
  const mark = rule.mark === undefined ? "" : ` fwmark ${rule.mark.value}/${rule.mark.mask}`;
  return `${rule.family} ${rule.priority} from ${rule.from ?? "all"} to ${rule.to ?? "all"}${mark} ${action}`;
}
