import type { PlanCondition, SpeakerPlan } from "../../../model/index.js";
import type { DuplicateMac } from "../bgp/rib/duplicate-detection.js";
import { isInternal } from "../bgp/session/session-config.js";
import type { AddressClaims } from "./address-claims.js";
import { bfdFindings } from "./bfd-findings.js";
import { routeFindings } from "./findings.js";
import { limitFindings } from "./limit-findings.js";
import { listeningFindings } from "./listening-findings.js";
import { mobilityFindings } from "./mobility-findings.js";
import type { NetworkRib } from "./network-rib.js";
import type { Peering } from "./peering.js";

/** What a network is, as far as something may be wrong with it. */
export interface ObservedNetwork {
  readonly plan: SpeakerPlan;
  readonly rib: NetworkRib;
  readonly claims: AddressClaims;
  readonly duplicates: readonly DuplicateMac[];
  readonly peerings: readonly Peering[];
}

/**
 * All that is wrong with the sessions and routes of a network, or soon will be.
 *
 * @param used route targets that some network of the node imports
 * @param listeningFailure why peers cannot connect to a local address
 */
export function networkFindings(
  { plan, rib, claims, duplicates, peerings }: ObservedNetwork,
  used: ReadonlySet<string>,
  listeningFailure: (local: string) => string | undefined,
): readonly PlanCondition[] {
  const settled = peerings.filter((peering) => peering.whole && peering.state === "Established");
  const sent = settled.map((peering) => ({
    peer: peering.status.peer,
    external: !isInternal(peering.config),
    imported: peering.importedBy(plan.importRouteTargets),
    unmatchedTargets: [...peering.receivedTargets].filter((target) => !used.has(target)),
    withOwnAs: peering.withOwnAs,
    keepsRoutes: peering.keepsRoutes,
  }));
  return [
    ...listeningFindings(plan, listeningFailure),
    ...routeFindings(plan, sent),
    ...mobilityFindings(plan, { ...claims.unrest(rib, plan), duplicates }),
    ...limitFindings(
      rib,
      peerings.map(({ limits }) => limits),
    ),
    ...bfdFindings(
      peerings.flatMap(({ bfdSilence }) => bfdSilence ?? []),
      plan.holdTime,
    ),
  ];
}
