import { canonicalAddress } from "../address/address.js";
import { activeBfd } from "../configuration/bfd.js";
import type { SpeakerNetwork } from "../configuration/speaker-network.js";
import { gobgpPort } from "../numbers/gobgp-port.js";
import { routeDistinguisher } from "../numbers/route-distinguisher.js";
import { routeTargets } from "../numbers/route-targets.js";
import { routerId } from "../numbers/router-id.js";
import { compareTexts } from "./compare.js";
import type { PlanCondition, SpeakerPlan, VxlanLinkPlan } from "./node-plan.js";
import { sourceAddress } from "./source-address.js";
import type { Underlay } from "./vtep-address.js";

export interface PlannedSpeaker {
  readonly speaker: SpeakerPlan | undefined;
  readonly conditions: readonly PlanCondition[];
}

/** Of a network without `bgp`. */
export const noSpeaker: PlannedSpeaker = { speaker: undefined, conditions: [] };

/** A node that is a peer of the others does not speak to itself. */
export function planSpeaker(
  { vxlan }: SpeakerNetwork,
  link: VxlanLinkPlan,
  underlay: Pick<Underlay, "candidates" | "bindable">,
): PlannedSpeaker {
  const { vni, bgp } = vxlan;
  const identifier = routerId(bgp, link.local);
  const targets = routeTargets(bgp, vni);
  const source = bgp.sourceAddress === undefined ? undefined : sourceAddress(bgp.sourceAddress, underlay);
  const bfd = activeBfd(bgp);
  const speaker = {
    vni,
    vtep: link.local,
    mac: link.mac,
    routerId: identifier,
    localAsn: bgp.myAsn,
    peerAsn: bgp.peerAsn,
    peers: otherVteps(bgp.peers, [link.local, ...(source?.kind === "source" ? [source.address] : [])]),
    ...(source === undefined ? {} : { source: source.kind === "source" ? source.address : null }),
    holdTime: bgp.holdTime,
    ...(bgp.passwordFile === undefined ? {} : { passwordFile: bgp.passwordFile }),
    ...(bgp.listen === true ? { listen: true as const } : {}),
    ...(bgp.ttlSecurity === undefined ? {} : { ttlSecurity: bgp.ttlSecurity }),
    ...(bgp.allowOwnAs === undefined || bgp.allowOwnAs === 0 ? {} : { allowOwnAs: bgp.allowOwnAs }),
    ...(bfd === undefined ? {} : { bfd }),
    ...(bgp.maxRoutes === undefined ? {} : { maxRoutes: bgp.maxRoutes }),
    ...(bgp.maxMacs === undefined ? {} : { maxMacs: bgp.maxMacs }),
    routeDistinguisher: routeDistinguisher(vxlan, identifier),
    importRouteTargets: targets.import,
    exportRouteTargets: targets.export,
    gobgpPort: gobgpPort({ vxlan }),
  };
  return { speaker, conditions: source?.kind === "none" ? [source.condition] : [] };
}

/** Sorted, without the node's own addresses, which are canonical: one list serves every node. */
export function otherVteps(addresses: readonly string[], own: readonly string[]): readonly string[] {
  return [...new Set(addresses.map(canonicalAddress))].filter((address) => !own.includes(address)).sort(compareTexts);
}
