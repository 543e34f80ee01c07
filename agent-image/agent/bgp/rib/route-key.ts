import type { InclusiveMulticastRoute, MacIpRoute } from "../codec/evpn-nlri.js";

/** The routes that this speaker keeps. */
export type KeptRoute = MacIpRoute | InclusiveMulticastRoute;

/**
 * What makes two routes the same one (RFC 7432 section 7.2 and 7.3). Label and Ethernet segment are no part of it:
 * FRR withdraws with label 0 what it announced with the VNI.
 */
export function routeKey(route: KeptRoute): string {
  switch (route.kind) {
    case "mac-ip":
      return keyOf(2, route.routeDistinguisher, route.ethernetTag, route.mac, route.ip ?? "");
    case "inclusive-multicast":
      return keyOf(3, route.routeDistinguisher, route.ethernetTag, route.originator);
  }
}

/** Joined: a template would keep its parts in memory beside the whole. */
function keyOf(...parts: readonly (string | number)[]): string {
  return parts.join("|");
}
