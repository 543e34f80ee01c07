import { comparePrefixes, parsePrefix } from "../address/prefix.js";
import type { RoutePlan, RulePlan } from "./node-plan.js";
import { ruleKey } from "./rule-key.js";

/** By code point: the same on every machine, unlike a comparison by locale. */
export function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** In the order of the numbers, not of the texts. */
export function comparePrefixTexts(left: string, right: string): number {
  const [leftPrefix, rightPrefix] = [parsePrefix(left), parsePrefix(right)];
  return leftPrefix === undefined || rightPrefix === undefined
    ? compareTexts(left, right)
    : comparePrefixes(leftPrefix, rightPrefix);
}

/** The order in which the kernel accepts them: a default route needs the connected route to its gateway. */
export function compareRoutes(left: RoutePlan, right: RoutePlan): number {
  return (
    left.family - right.family ||
    left.table - right.table ||
    Number(left.gateway !== undefined) - Number(right.gateway !== undefined) ||
    comparePrefixTexts(left.destination, right.destination)
  );
}

/** The order of lookup, so that exceptions are in place before the rules from which they except. */
export function compareRules(left: RulePlan, right: RulePlan): number {
  return left.family - right.family || left.priority - right.priority || compareTexts(ruleKey(left), ruleKey(right));
}
