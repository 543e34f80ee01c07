import type { SpeakerPlan } from "../../../model/index.js";

/** Node n1 in network 228. */
export const plan228: SpeakerPlan = {
  vni: 228,
  vtep: "10.0.7.11",
  mac: "02:00:00:00:00:11",
  routerId: "10.0.7.11",
  localAsn: 65001,
  peerAsn: 65001,
  peers: ["10.0.7.19"],
  holdTime: 9,
  routeDistinguisher: "10.0.7.11:228",
  importRouteTargets: ["65001:228"],
  exportRouteTargets: ["65001:228"],
  gobgpPort: 20228,
};

/** The same node in network 240, over the same session. */
export const plan240: SpeakerPlan = {
  ...plan228,
  vni: 240,
  mac: "02:00:00:00:02:40",
  routeDistinguisher: "10.0.7.11:240",
  importRouteTargets: ["65001:240"],
  exportRouteTargets: ["65001:240"],
  gobgpPort: 20240,
};
