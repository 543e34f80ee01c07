import type { PlanCondition } from "../node-plan/node-plan.js";

/** What is ours and cannot go, and why. */
export interface Stay extends PlanCondition {
  /** The network to which it belongs, also one that is not planned any more; absent where none can be named. */
  readonly network?: string;
}

/** @param network undefined where none can be named */
export function stay(condition: PlanCondition, network: string | undefined): Stay {
  return network === undefined ? condition : { ...condition, network };
}
