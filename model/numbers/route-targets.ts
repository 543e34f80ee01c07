import type { Bgp } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";

export interface RouteTargets {
  readonly import: readonly string[];
  readonly export: readonly string[];
}

/** A type 0 route target has 16 bits for the AS (RFC 4360 section 3.1). */
export const largestTwoByteAsn = 65_535;

/**
 * Rules by which a fabric derives a target other than `AS:VNI`: RFC 8365 section 5.1.2.1 (Junos' default, FRR's
 * `autort rfc8365-compatible`), and FRR's own, which cuts a four-byte AS (FRRouting/frr#22949).
 */
export const automaticRouteTargets = ["rfc8365", "frr"] as const;

type AutomaticRouteTarget = (typeof automaticRouteTargets)[number];

/** RFC 8365 section 5.1.2.1: derived automatically (0), type VXLAN (1), domain 0; the VNI stands behind. */
const vxlanServiceType = 0x1000_0000;

/**
 * FRR exports `AS:VNI` with its own AS and imports any AS with this VNI. We export the same and import ours and the
 * peer's, which differ in eBGP. A four-byte AS does not fit beside a VNI: validation wants it named or cut in so many
 * words, so that both ends agree.
 */
export function routeTargets(bgp: Bgp, vni: number): RouteTargets {
  const { routeTarget, importRouteTargets, myAsn, peerAsn } = bgp;
  if (routeTarget !== undefined && !isAutomatic(routeTarget)) {
    return { import: importRouteTargets ?? [routeTarget], export: [routeTarget] };
  }
  const own = derived([myAsn, vni], () => automatic(myAsn, vni, routeTarget));
  const theirs = derived([peerAsn, vni], () => automatic(peerAsn, vni, routeTarget));
  return { import: importRouteTargets ?? [...new Set([own, theirs])].sort(), export: [own] };
}

/** The two bytes that FRR keeps (FRRouting/frr#22949). */
export function truncatedAsn(asn: number): number {
  return asn & 0xffff;
}

function isAutomatic(routeTarget: string): routeTarget is AutomaticRouteTarget {
  return (automaticRouteTargets as readonly string[]).includes(routeTarget);
}

function automatic(asn: number, vni: number, form: AutomaticRouteTarget | undefined): string {
  switch (form) {
    case "rfc8365":
      return `${asn}:${vxlanServiceType + vni}`;
    case "frr":
      return `${truncatedAsn(asn)}:${vni}`;
    default:
      return `${asn}:${vni}`;
  }
}
