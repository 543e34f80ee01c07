import type { Condition, RouterNodeStatus } from "../../../model/index.js";

/** That a condition came, went or has another status or reason. */
export interface ConditionChange {
  /** Whose it is; undefined: the node's own. */
  readonly network: { readonly name: string; readonly uid: string } | undefined;
  /** Whether somebody should look at it. */
  readonly warning: boolean;
  readonly reason: string;
  readonly message: string;
}

/** Conditions that are well while their status is True; all others name what is not as it should be. */
const WELL_WHILE_TRUE = new Set(["Applied", "SessionsEstablished"]);

/** What a person wants to be told of between two statuses of a node, networks in the order of the newer one. */
export function conditionChanges(before: RouterNodeStatus, after: RouterNodeStatus): readonly ConditionChange[] {
  const formerly = new Map(before.networks.map((network) => [network.uid, network.conditions]));
  return [
    ...changesOf(undefined, before.conditions ?? [], after.conditions ?? []),
    ...after.networks.flatMap(({ name, uid, conditions }) =>
      changesOf({ name, uid }, formerly.get(uid) ?? [], conditions),
    ),
  ];
}

function changesOf(
  network: ConditionChange["network"],
  before: readonly Condition[],
  after: readonly Condition[],
): readonly ConditionChange[] {
  const find = (conditions: readonly Condition[], { type }: Condition) =>
    conditions.find((other) => other.type === type);
  const came = after
    .filter((condition) => {
      const former = find(before, condition);
      return former?.status !== condition.status || former.reason !== condition.reason;
    })
    .map((condition) => ({
      network,
      warning: WELL_WHILE_TRUE.has(condition.type) !== (condition.status === "True"),
      reason: condition.reason,
      message: condition.message,
    }));
  const went = before
    .filter((condition) => find(after, condition) === undefined && !WELL_WHILE_TRUE.has(condition.type))
    .map(({ type }) => ({
      network,
      warning: false,
      reason: `${type}Ended`,
      message: `${type} does not hold any more`,
    }));
  return [...came, ...went];
}
