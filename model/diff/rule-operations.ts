import type { PlanCondition, RulePlan } from "../node-plan/node-plan.js";
import { ruleKey } from "../node-plan/rule-key.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { renderRule } from "../render/render-rule.js";
import type { ObservedRule } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";

export interface RuleOperations {
  readonly operations: readonly Operation[];
  readonly conflicts: readonly PlanCondition[];
}

/** What brings the rules of one network in. */
export function ruleOperations(plan: readonly RulePlan[], observed: readonly ObservedRule[]): RuleOperations {
  const held = new Set(
    observed
      .map(ownRule)
      .filter((rule) => rule !== undefined)
      .map(ruleKey),
  );
  const missing = plan.filter((rule) => !held.has(ruleKey(rule)));
  return {
    operations: missing.map((rule) => ip(renderRule(rule))),
    conflicts: plan.flatMap((rule) => observed.filter((other) => shadows(other, rule)).map(foreignRule)),
  };
}

/** A rule that we could have written ourselves: our protocol number, and nothing in it that we do not write. */
export function ownRule(rule: ObservedRule): RulePlan | undefined {
  const { protocol, plain, action, ...rest } = rule;
  if (protocol !== routeProtocol || !plain || action.kind === "other") return undefined;
  return { ...rest, action };
}

export function deleteRule(rule: RulePlan): Operation {
  return ip(renderRule(rule).replace(" rule add ", " rule del "));
}

/**
 * What a rule takes its packets by: source prefix or mark. The lookup rule of a network, its guard and its exceptions share
 * it, and it leads from those that name no table to the one that does.
 */
export function selectorKey(rule: Pick<RulePlan, "family" | "from" | "mark">): string {
  const by = rule.from === undefined ? `fwmark ${rule.mark?.value}/${rule.mark?.mask}` : `from ${rule.from}`;
  return `${rule.family} ${by}`;
}

/** Another program's rule at our priority for the same packets: which of the two comes first is an accident of time. */
function shadows(other: ObservedRule, rule: RulePlan): boolean {
  return (
    other.protocol !== routeProtocol &&
    other.plain &&
    other.family === rule.family &&
    other.priority === rule.priority &&
    other.to === rule.to &&
    selectorKey(other) === selectorKey(rule)
  );
}

function foreignRule(rule: ObservedRule): PlanCondition {
  const selector = [
    ...(rule.from === undefined ? [] : [`from ${rule.from}`]),
    ...(rule.to === undefined ? [] : [`to ${rule.to}`]),
  ].join(" ");
  return {
    reason: "ForeignRule",
    message: `another program (protocol ${rule.protocol}) has a rule at priority ${rule.priority} ${selector}; remove it`,
  };
}
