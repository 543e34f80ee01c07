import type { Condition, NetworkStatus } from "../../../model/index.js";
import { type ConditionState, withTransitionTimes } from "./conditions.js";
import { failureMessage } from "./failure-message.js";
import { networkStatus, type ReportedNetwork } from "./network-status.js";
import { passFailed } from "./pass-failed.js";

/** What a node reports after a pass that failed as a whole. */
export interface FailedPassStatus {
  readonly conditions: readonly Condition[];
  readonly networks: readonly NetworkStatus[];
}

/**
 * What was seen before stays, for the kernel goes on with it; only that the plan stands is not known any more.
 *
 * @param before what was reported last
 * @param networks all that this node may have something of, for one that the status does not name counts as removed from the
 * node; of those with one uid the last is told
 */
export function failedPassStatus(
  error: Error,
  before: FailedPassStatus,
  networks: readonly ReportedNetwork[],
  now: string,
): FailedPassStatus {
  const message = failureMessage([error.message]);
  const notApplied = { type: "Applied", status: "Unknown", reason: passFailed.reason, message } as const;
  const unseen = [...new Map(networks.map((network) => [network.uid, network])).values()]
    .filter(({ uid }) => !before.networks.some((known) => known.uid === uid))
    .map((network) => unseenStatus(network, now));
  return {
    conditions: replaced({ ...passFailed, message }, before.conditions, now),
    networks: [...before.networks, ...unseen]
      .map((network) => ({
        ...network,
        conditions: replaced(notApplied, network.conditions, now),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}

function replaced(state: ConditionState, conditions: readonly Condition[], now: string): readonly Condition[] {
  return withTransitionTimes([...conditions.filter(({ type }) => type !== state.type), state], conditions, now);
}

/** A network of which no pass has seen anything yet. */
function unseenStatus(network: ReportedNetwork, now: string): NetworkStatus {
  const none = { failures: [], refusals: [], conflicts: [], sessions: [], addresses: [], notices: [] };
  const nothing = { ...none, bridgedHosts: 0, repairs: 0 };
  const unknown = { carriedRevision: undefined, plan: undefined, link: undefined, forwarding: () => undefined };
  return networkStatus({ network, removing: false, ...nothing, ...unknown }, undefined, now);
}
