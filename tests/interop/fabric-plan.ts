import type { SpeakerPlan } from "../../model/index.js";

export const network = "vxlan228";

/** A VXLAN network on the node 10.0.7.20, with sessions inside AS 65001 to these peers. */
export function fabricPlan(...peers: readonly string[]): SpeakerPlan {
  return {
    vni: 228,
    vtep: "10.0.7.20",
    mac: "02:00:00:00:02:28",
    routerId: "10.0.7.20",
    localAsn: 65001,
    peerAsn: 65001,
    peers,
    holdTime: 9,
    routeDistinguisher: "10.0.7.20:228",
    importRouteTargets: ["65001:228"],
    exportRouteTargets: ["65001:228"],
    gobgpPort: 20228,
  };
}
