import type { Condition } from "../../../model/index.js";
import { boundedMessage } from "./bounded-message.js";

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
