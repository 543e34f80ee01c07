import type { Bgp } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";

export interface RouteTargets {
  readonly import: readonly string[];
  readonly export: readonly string[];
}

/** A type 0 route target has 16 bits for the AS (RFC 4360 section 3.1). */
export const largestTwoByteAsn = 65_535;

/**
 * FRR exports `AS:VNI` with its own AS and imports any AS with this VNI. We export the same and import ours and the
 * peer's, which differ in eBGP. A four-byte AS does not fit beside a VNI; FRR cuts it, and validation refuses it here
 * (FRRouting/frr#22949), so that both ends name the target in words.
 */
export function routeTargets(bgp: Bgp, vni: number): RouteTargets {
  if (bgp.routeTarget !== undefined) return { import: [bgp.routeTarget], export: [bgp.routeTarget] };
  const own = derived([bgp.myAsn, vni], () => `${bgp.myAsn}:${vni}`);
  const theirs = derived([bgp.peerAsn, vni], () => `${bgp.peerAsn}:${vni}`);
  return { import: [...new Set([own, theirs])].sort(), export: [own] };
}
