import type { PlanCondition } from "../../../model/index.js";
import type { ForeignAnswer } from "../addresses/foreign-answers.js";
import { boundedList } from "../status/bounded-message.js";

/** A network's address that another host answers for. */
export interface ForeignInNetwork extends ForeignAnswer {
  readonly network: string;
}

/** By network: what to tell of others that answer for its addresses. */
export function conflictNotices(
  lasting: readonly ForeignInNetwork[],
  taken: readonly ForeignInNetwork[],
): ReadonlyMap<string, readonly PlanCondition[]> {
  const notices = new Map<string, readonly PlanCondition[]>();
  const tell = (reason: string, all: readonly ForeignInNetwork[], meaning: string): void => {
    for (const [network, answers] of Map.groupBy(all, (answer) => answer.network)) {
      const who = boundedList(answers.map(({ address, mac, device }) => `${address} by ${mac} on ${device}`)).join(
        ", ",
      );
      notices.set(network, [...(notices.get(network) ?? []), { reason, message: `${who}: ${meaning}` }]);
    }
  };
  tell(
    "AddressConflict",
    lasting,
    "another host answers for this node's address as well, so its clients reach now one and now the other; find it by " +
      "its MAC and take the address from it",
  );
  tell(
    "AddressTaken",
    taken,
    "another host has taken the address while the API server does not answer, so this node gives it up until it hears " +
      "from the API server again",
  );
  return notices;
}
