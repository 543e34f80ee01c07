import type { RulePlan } from "../node-plan/node-plan.js";
import { mainTable } from "../numbers/routing-table.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { renderMark } from "./render-mark.js";
import type { Symbolic } from "./symbolic.js";

export function renderRule(rule: Symbolic<RulePlan>): string {
  const selector = [
    ...(rule.from === undefined ? [] : [`from ${rule.from}`]),
    ...(rule.to === undefined ? [] : [`to ${rule.to}`]),
    ...(rule.mark === undefined ? [] : [`fwmark ${renderMark(rule.mark)}`]),
  ].join(" ");
  const action =
    rule.action.kind === "unreachable"
      ? "unreachable"
      : `lookup ${rule.action.table === mainTable ? "main" : rule.action.table}`;
  return `ip -${rule.family} rule add priority ${rule.priority} ${selector} protocol ${routeProtocol} ${action}`;
}
