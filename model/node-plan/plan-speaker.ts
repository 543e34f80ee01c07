import { canonicalAddress } from "../address/address.js";
import type { VxlanNetworkSpec } from "../configuration/configuration.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { routeDistinguisher } from "../numbers/route-distinguisher.js";
import { routeTargets } from "../numbers/route-targets.js";
import { compareTexts } from "./compare.js";
import type { SpeakerPlan, VxlanLinkPlan } from "./node-plan.js";

/** Undefined without `bgp`. A node that is a peer of the others does not speak to itself. */
export function planSpeaker(spec: VxlanNetworkSpec, link: VxlanLinkPlan): SpeakerPlan | undefined {
  const { vni, bgp } = spec.vxlan;
  if (bgp === undefined) return undefined;
  const routerId = bgp.routerId ?? link.local;
  const targets = routeTargets(bgp, vni);
  return {
    vni,
    vtep: link.local,
    mac: link.mac,
    routerId,
    localAsn: bgp.myAsn,
    peerAsn: bgp.peerAsn,
    peers: otherVteps(bgp.peers, link.local),
    holdTime: bgp.holdTime,
    routeDistinguisher: routeDistinguisher(spec.vxlan, routerId),
    importRouteTargets: targets.import,
    exportRouteTargets: targets.export,
    gobgpPort: gobgpPort(spec),
  };
}

/** Sorted, without the node itself: one list serves every node. `own` is canonical; unknown, nothing is left out. */
export function otherVteps(addresses: readonly string[], own: string | undefined): readonly string[] {
  return [...new Set(addresses.map(canonicalAddress))].filter((address) => address !== own).sort(compareTexts);
}
