import { canonicalAddress } from "../address/address.js";
import type { VxlanNetworkSpec } from "../configuration/configuration.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { routeDistinguisher } from "../numbers/route-distinguisher.js";
import { routeTargets } from "../numbers/route-targets.js";
import { routerId } from "../numbers/router-id.js";
import { compareTexts } from "./compare.js";
import type { SpeakerPlan, VxlanLinkPlan } from "./node-plan.js";

/** Undefined without `bgp`. A node that is a peer of the others does not speak to itself. */
export function planSpeaker(spec: VxlanNetworkSpec, link: VxlanLinkPlan): SpeakerPlan | undefined {
  const { vni, bgp } = spec.vxlan;
  if (bgp === undefined) return undefined;
  const identifier = routerId(bgp, link.local);
  const targets = routeTargets(bgp, vni);
  return {
    vni,
    vtep: link.local,
    mac: link.mac,
    routerId: identifier,
    localAsn: bgp.myAsn,
    peerAsn: bgp.peerAsn,
    peers: otherVteps(bgp.peers, link.local),
    holdTime: bgp.holdTime,
    ...(bgp.passwordFile === undefined ? {} : { passwordFile: bgp.passwordFile }),
    ...(bgp.ttlSecurity === undefined ? {} : { ttlSecurity: bgp.ttlSecurity }),
    routeDistinguisher: routeDistinguisher(spec.vxlan, identifier),
    importRouteTargets: targets.import,
    exportRouteTargets: targets.export,
    gobgpPort: gobgpPort(spec),
  };
}

/** Sorted, without the node itself: one list serves every node. `own` is canonical; unknown, nothing is left out. */
export function otherVteps(addresses: readonly string[], own: string | undefined): readonly string[] {
  return [...new Set(addresses.map(canonicalAddress))].filter((address) => address !== own).sort(compareTexts);
}
