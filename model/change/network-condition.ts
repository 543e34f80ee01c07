import { conditionRemedy } from "../node-plan/condition-remedy.js";
import type { NodePlan, PlanCondition } from "../node-plan/node-plan.js";

/** Why a network is not on a node as it was asked for, or not at all. */
export interface NetworkCondition extends PlanCondition {
  readonly network: string;
  /** What an operator can do, where the message does not end with it. */
  readonly remedy?: string;
}

export function networkCondition(network: string, condition: PlanCondition): NetworkCondition {
  const remedy = conditionRemedy(condition);
  return { network, ...condition, ...(remedy === undefined ? {} : { remedy }) };
}

/** Of all networks of a plan. */
export function planConditions({ networks, unplanned }: NodePlan): readonly NetworkCondition[] {
  return [
    ...networks.flatMap(({ network, conditions = [] }) =>
      conditions.map((condition) => networkCondition(network, condition)),
    ),
    ...unplanned.map(({ network, condition }) => networkCondition(network, condition)),
  ];
}

/** `vlan220: ParentMissing: parent bond0 not found; create the parent interface …` */
export function conditionLine({ network, reason, message, remedy }: NetworkCondition): string {
  return `${network}: ${reason}: ${message}${remedy === undefined ? "" : `; ${remedy}`}`;
}
