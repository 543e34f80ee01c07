import type { Condition } from "../model/index.js";

/**
 * A condition as something that a node lacks: the type is the same however the message goes on, and no clock stands in it. A
 * reason that is the type is not said twice.
 */
export function conditionLack({ type, status, reason, message }: Condition): readonly [what: string, state: string] {
  return [`condition ${type}`, `${status} (${reason === type ? message : `${reason}: ${message}`})`];
}
