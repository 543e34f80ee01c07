export { type BgpNeighbor, bgpNeighbors } from "./bgp-neighbors.js";
export { type EvpnRoute, evpnRoutes } from "./evpn-routes.js";
export { fabricRepair, fabricUp } from "./fabric.js";
export { CLIENT, GATEWAY, gatewayInterface } from "./gateway.js";
export { leafBridge, leafVxlan, segmentMtu } from "./leaf.js";
export { plugNode, unplugNode } from "./node-link.js";
export { reflectorDaemon, reflectorDaemons, startReflector, stopReflector } from "./reflector.js";
export { adminLink, CONTROL_PLANE, SPINE, UNDERLAY_INTERFACE, WRONG_DOOR } from "./underlay.js";
export { wrongDoorPackets } from "./wrong-door.js";
