import { isIPv4 } from "node:net";
import type { MacIpRoute } from "../bgp/codec/evpn-nlri.js";
import { vxlanTunnelType } from "../bgp/codec/extended-community.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";

/** What is ours in a network and must never be pointed at somebody else. */
export interface OwnPart {
  readonly vni: number;
  readonly vtep: string;
  readonly mac: string;
  /** MACs of others that the kernel gets. */
  readonly maxMacs?: number;
}

export type HostRoute = ReceivedRoute & { readonly route: MacIpRoute };

export function isHostRoute(received: ReceivedRoute): received is HostRoute {
  return received.route.kind === "mac-ip";
}

/** Whether the kernel can send to this host by this route. */
export function isUsableHost({ route, nextHop, traits }: HostRoute, own: OwnPart): boolean {
  return (
    isVxlan(traits.tunnelTypes) &&
    // The kernel would send with our own VNI, into another segment of that VTEP.
    route.label === own.vni &&
    route.mac !== own.mac &&
    isUnicastMac(route.mac) &&
    isRemoteVtep(nextHop, own.vtep)
  );
}

/**
 * Where the route wants flooded frames to go; undefined: nowhere that we can send to. The tunnel's identifier, not the
 * route's originator, says where (RFC 6514 section 5).
 */
export function floodEndpoint({ route, traits }: ReceivedRoute, own: OwnPart): string | undefined {
  const { flood, tunnelTypes } = traits;
  return route.kind === "inclusive-multicast" &&
    isVxlan(tunnelTypes) &&
    flood?.label === own.vni &&
    isRemoteVtep(flood.endpoint, own.vtep)
    ? flood.endpoint
    : undefined;
}

/**
 * A missing encapsulation community means what the receiver is configured for (RFC 8365 section 5.1.3), and this
 * segment is VXLAN. Some fabrics lose the community over eBGP (FRRouting/frr#20271).
 */
function isVxlan(tunnelTypes: readonly number[]): boolean {
  return tunnelTypes.length === 0 || tunnelTypes.includes(vxlanTunnelType);
}

function isUnicastMac(mac: string): boolean {
  const groupBit = 1;
  return (Number.parseInt(mac.slice(0, 2), 16) & groupBit) === 0 && mac !== "00:00:00:00:00:00";
}

/**
 * One VXLAN interface has one outer address family, and 0/8, 127/8 and 224/3 are no places to send to; of IPv6 not 0::/16, where the
 * forms that stand for IPv4 are (RFC 4291 section 2.5.5), multicast, and link-local, which says nothing without an interface.
 */
function isRemoteVtep(address: string, own: string): boolean {
  if (address === own || isIPv4(address) !== isIPv4(own)) {
    return false;
  }
  if (!isIPv4(address)) {
    return !/^(ff|fe[89ab]|::)/.test(address);
  }
  const firstByte = Number.parseInt(address, 10);
  return firstByte !== 0 && firstByte !== 127 && firstByte < 224;
}
