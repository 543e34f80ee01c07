import { type Condition, conditionRemedy, type PlanCondition } from "../../../model/index.js";
import { boundedList, boundedMessage } from "./bounded-message.js";

/** A condition before it is known when it came to be. */
export type ConditionState = Omit<Condition, "lastTransitionTime">;

/**
 * Sorted by type. A condition keeps its time while its status stays (Kubernetes API conventions: the time is of the
 * status, not of the message). No message is longer than a status may hold, whoever wrote it.
 */
export function withTransitionTimes(
  states: readonly ConditionState[],
  previous: readonly Condition[],
  now: string,
): readonly Condition[] {
  return [...states]
    .sort((one, other) => (one.type < other.type ? -1 : 1))
    .map((state) => {
      const before = previous.find(({ type }) => type === state.type);
      const message = boundedMessage(state.message);
      return {
        ...state,
        message,
        lastTransitionTime: before?.status === state.status ? before.lastTransitionTime : now,
      };
    });
}

/** What is to know, each reason once, with status True while it holds. */
export function noticeConditions(notices: readonly PlanCondition[]): readonly ConditionState[] {
  return [...Map.groupBy(notices, ({ reason }) => reason)].map(([reason, alike]) => ({
    type: reason,
    status: "True",
    reason,
    message: reasonTexts(alike).join("; "),
  }));
}

/** A few of each reason, and each text once: the thousandth route of another program must not hide the one rule. */
export function reasonTexts(conditions: readonly PlanCondition[]): readonly string[] {
  return [...Map.groupBy(conditions, ({ reason }) => reason).values()].flatMap((alike) =>
    boundedList([...new Set(alike.map(withRemedy))]),
  );
}

/** As `vlan-router plan` prints it. */
export function withRemedy(condition: PlanCondition): string {
  const remedy = conditionRemedy(condition);
  return remedy === undefined ? condition.message : `${condition.message}; ${remedy}`;
}
