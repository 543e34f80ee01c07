import type { NodePlan, PlanCondition, RulePlan } from "../node-plan/node-plan.js";
import { ruleKey } from "../node-plan/rule-key.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { renderRule } from "../render/render-rule.js";
import type { ObservedRule } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";
import { ruleOwner } from "./rule-owner.js";
import { type Stay, stay } from "./stay.js";

export interface RuleOperations {
  /** Those by mark first; of each kind exceptions before what they except from, guards after their rule. */
  readonly operations: readonly Operation[];
  readonly conflicts: readonly PlanCondition[];
}

/** The kernel's rules, found without reading all of them for each network. */
export interface HeldRules {
  /** Ours, by {@link ruleKey}. */
  readonly own: ReadonlySet<string>;
  /** Rules of others that we could have written but for the protocol number. */
  readonly foreignByPriority: ReadonlyMap<number, readonly ObservedRule[]>;
}

export function heldRules(observed: readonly ObservedRule[]): HeldRules {
  const own = observed.map(ownRule).filter((rule) => rule !== undefined);
  const foreign = observed.filter(({ protocol, plain }) => protocol !== routeProtocol && plain);
  return { own: new Set(own.map(ruleKey)), foreignByPriority: Map.groupBy(foreign, ({ priority }) => priority) };
}

/** What brings the rules of one network in. */
export function ruleOperations(plan: readonly RulePlan[], held: HeldRules): RuleOperations {
  const missing = plan.filter((rule) => !held.own.has(ruleKey(rule)));
  const shadowing = (rule: RulePlan) =>
    (held.foreignByPriority.get(rule.priority) ?? []).filter((other) => shadows(other, rule));
  return {
    operations: [
      ...missing.filter(({ mark }) => mark !== undefined),
      ...missing.filter(({ mark }) => mark === undefined),
    ].map(addRule),
    conflicts: plan.flatMap((rule) => shadowing(rule).map(foreignRule)),
  };
}

/** A rule that we could have written ourselves: our protocol number, and nothing in it that we do not write. */
export function ownRule(rule: ObservedRule): RulePlan | undefined {
  const { protocol, plain, words: _, action, ...rest } = rule;
  if (protocol !== routeProtocol || !plain || action.kind === "other" || action.kind === "goto") return undefined;
  return { ...rest, action };
}

/** Rules with our protocol number in a form that we never write. */
export interface StrayRules {
  readonly removals: readonly StrayRemoval[];
  /** Those for which there is no command that names no other rule. */
  readonly stays: readonly Stay[];
}

export interface StrayRemoval {
  readonly operation: Operation;
  /** The network to which the rule belongs; absent where none can be named. */
  readonly network?: string;
}

/**
 * Ours by their protocol number, and wanted by no plan. The kernel takes one with `not`, a TOS or a realm for the same as ours without it, so
 * that ours cannot be added beside it (rule_exists, measured); others come before ours or stand for it.
 */
export function strayRules(observed: readonly ObservedRule[], plan: NodePlan): StrayRules {
  const strays = observed
    .filter((rule) => rule.protocol === routeProtocol && ownRule(rule) === undefined)
    .map((rule) => ({ rule, network: ruleOwner(rule, plan) }));
  const named = strays.flatMap(({ rule: { family, priority, words }, network }) =>
    words === undefined
      ? []
      : [{ command: `ip -${family} rule del priority ${priority} protocol ${routeProtocol} ${words}`, network }],
  );
  return {
    // The kernel deletes the first rule that has all that is said: the one of which most is said goes before it can be meant by less.
    removals: named
      .toSorted((one, other) => other.command.split(" ").length - one.command.split(" ").length)
      .map(({ command, network }) => ({ operation: ip(command), ...(network === undefined ? {} : { network }) })),
    stays: strays
      .filter(({ rule }) => rule.words === undefined)
      .map(({ rule, network }) => stay(strayRule(rule), network)),
  };
}

function strayRule({ family, priority }: ObservedRule): PlanCondition {
  return {
    reason: "UnknownRule",
    message:
      `IPv${family} rule at priority ${priority} has this agent's protocol number ${routeProtocol}, but a form that the agent never ` +
      `writes and cannot name; see it with: ip -${family} rule show priority ${priority}, and remove it with: ` +
      `ip -${family} rule del priority ${priority} protocol ${routeProtocol}, followed by what is shown of it`,
  };
}

function addRule(rule: RulePlan): Operation {
  return ip(renderRule(rule));
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

/** A rule at our priority for the same packets: which of the two comes first is an accident of time. */
function shadows(other: ObservedRule, rule: RulePlan): boolean {
  return other.to === rule.to && selectorKey(other) === selectorKey(rule);
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
