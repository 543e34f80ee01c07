import type { NodeFacts, PlanCondition, Stay } from "../../../model/index.js";

/** What one comparison of kernel and plan did. */
export interface ReconcileResult {
  /** What concerns no single network: leftovers that were removed, and our nft table. */
  readonly node: Outcome;
  readonly networks: readonly NetworkResult[];
  /** What is ours, belongs to no plan any more, and cannot go; no repair ends that. */
  readonly stays: readonly Stay[];
  /** The node as it was before: when nothing had to be done, it need not be read again. */
  readonly facts: NodeFacts;
}

export interface Outcome {
  /** Commands that carried out a new plan. */
  readonly applied: readonly string[];
  /** Commands that put back what vanished or changed although the plan did not. */
  readonly repaired: readonly string[];
  /** Operations that failed, each with the reason; they are tried again the next time. */
  readonly errors: readonly string[];
}

export interface NetworkResult extends Outcome {
  readonly network: string;
  /** Its interface was made just now: nobody's forwarding entries stand in it. */
  readonly isLinkNew: boolean;
  /** What no repair will end: foreign objects in the way, another program that undoes our work. */
  readonly conflicts: readonly PlanCondition[];
}

/** Whether the kernel is now as planned. */
export function isConverged(result: ReconcileResult): boolean {
  const outcomes: readonly Outcome[] = [result.node, ...result.networks];
  return (
    result.stays.length === 0 &&
    outcomes.every(({ errors }) => errors.length === 0) &&
    result.networks.every(({ conflicts }) => conflicts.length === 0)
  );
}

/** Whether nothing had to be done. */
export function isUnchanged(result: ReconcileResult): boolean {
  return [result.node, ...result.networks].every(
    ({ applied, repaired, errors }) => applied.length + repaired.length + errors.length === 0,
  );
}
