import type { PlanCondition } from "../../../model/index.js";
import { type DuplicateMac, duplicateMoves, duplicatePeriod } from "../bgp/rib/duplicate-detection.js";
import { highestFollowed } from "../bgp/rib/mac-mobility.js";
import type { OwnHost } from "./competing-claims.js";
import { named } from "./findings.js";
import type { HostRoute } from "./usable-routes.js";

/** What of a network's hosts does not come to rest. */
export interface UnrestfulHosts {
  /** Claims on addresses of ours that our number would have to be raised above, but must not for now. */
  readonly unanswered: readonly HostRoute[];
  /** Claims on addresses of ours that no number is above. */
  readonly sticky: readonly HostRoute[];
  /** Claims on addresses of ours whose number is too high to be followed. */
  readonly outOfReach: readonly HostRoute[];
  readonly duplicates: readonly DuplicateMac[];
}

const period = `${duplicatePeriod / 1000} s`;

/** What keeps traffic from settling although routes are exchanged (RFC 7432 section 15). */
export function mobilityFindings({ mac }: OwnHost, hosts: UnrestfulHosts): PlanCondition[] {
  return [
    ...dampedClaims(mac, hosts.unanswered),
    ...stickyClaims(hosts.sticky),
    ...claimsOutOfReach(hosts.outOfReach),
    ...duplicateMacs(hosts.duplicates),
  ];
}

function dampedClaims(mac: string, unanswered: readonly HostRoute[]): PlanCondition[] {
  if (unanswered.length === 0) {
    return [];
  }
  return [
    {
      reason: "MacMobilityDamped",
      message:
        `${claims(unanswered)} as well, and the sequence number of our MAC ${mac} has been raised ${duplicateMoves - 1} times ` +
        `within ${period}: it is not raised again before that time is up, because switches freeze what moves ` +
        `${duplicateMoves} times (RFC 7432 section 15.1), so traffic may go there until then; find out why two nodes ` +
        "answer for one address, and take it from one",
    },
  ];
}

function stickyClaims(sticky: readonly HostRoute[]): PlanCondition[] {
  if (sticky.length === 0) {
    return [];
  }
  return [
    {
      reason: "StickyMacElsewhere",
      message:
        `${claims(sticky)} as a sticky MAC, which no sequence number is above (RFC 7432 section 15.2): traffic goes there; ` +
        "take the address, or the static MAC entry, off that VTEP",
    },
  ];
}

function claimsOutOfReach(outOfReach: readonly HostRoute[]): PlanCondition[] {
  if (outOfReach.length === 0) {
    return [];
  }
  return [
    {
      reason: "SequenceOutOfReach",
      message:
        `${claims(outOfReach)} with a sequence number above ${highestFollowed}, which no move makes and ours does not follow (RFC 7432 ` +
        "section 15): traffic goes there; find out what sends such routes, and take the address off that VTEP",
    },
  ];
}

function duplicateMacs(duplicates: readonly DuplicateMac[]): PlanCondition[] {
  if (duplicates.length === 0) {
    return [];
  }
  const moves = duplicates.map(({ mac, vteps }) => `${mac} (${vteps.toSorted().join(" and ")})`);
  return [
    {
      reason: "DuplicateMacDetected",
      message:
        `MACs move ${duplicateMoves} times and more within ${period} (RFC 7432 section 15.1): ${named(moves.toSorted())}; they are ` +
        "followed all the same; two hosts have one MAC, or the segment has a loop: find the second host, or open the loop",
    },
  ];
}

function claims(routes: readonly HostRoute[]): string {
  const texts = routes.map(({ route, nextHop }) => `${nextHop} announces ${route.ip} with ${route.mac}`);
  return named([...new Set(texts)].sort());
}
