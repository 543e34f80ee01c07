import type { Configuration } from "../configuration/configuration.js";
import type { NodeFacts } from "../node-plan/node-facts.js";
import type { NodePlan } from "../node-plan/node-plan.js";
import { planNode } from "../node-plan/plan-node.js";
import { diffPlan, type PlanDiff } from "./diff-plan.js";
import { type Interruption, interruptions } from "./interruptions.js";
import { nodeFacts } from "./node-facts.js";
import { stateOf } from "./state-of.js";
import { stateOfFacts } from "./state-of-facts.js";

/** What a change of the configuration means for one node. */
export interface PlanChange {
  readonly before: NodePlan;
  readonly after: NodePlan;
  readonly diff: PlanDiff;
  readonly interruptions: readonly Interruption[];
}

/**
 * For a node with these facts that carries `old` in full. The new plan is made from what the old one leaves in the kernel, as
 * the node itself would: a network keeps its mark and its VTEP address.
 */
export function planChange(old: Configuration, now: Configuration, facts: NodeFacts): PlanChange {
  const before = planNode(old, facts);
  const state = stateOf(before, stateOfFacts(facts));
  const after = planNode(now, nodeFacts(state, facts.nodeName, facts.labels));
  return { before, after, diff: diffPlan(state, after), interruptions: interruptions(before, after) };
}
