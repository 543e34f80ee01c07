import { isIPv4 } from "node:net";
import type { InclusiveMulticastRoute, MacIpRoute } from "../bgp/codec/evpn-nlri.js";
import { vxlanTunnelType } from "../bgp/codec/extended-community.js";
import { compareClaims } from "../bgp/rib/mac-mobility.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import type { ForwardingState } from "./forwarding-state.js";

/** What is ours in a network and must never be pointed at somebody else. */
export interface OwnPart {
  readonly vni: number;
  readonly vtep: string;
  readonly mac: string;
  readonly addresses: readonly string[];
}

/** What the kernel should hold, from all routes that the network imports from all its peers. */
export function forwardingState(routes: readonly ReceivedRoute[], own: OwnPart): ForwardingState {
  const usable = routes.filter(({ traits }) => isVxlan(traits.tunnelTypes));
  const hosts = usable.filter(hasHost).filter((claim) => isRemoteHost(claim, own));
  const byMac = bestBy(hosts, ({ route }) => route.mac);
  const byIp = bestBy(hosts, ({ route }) => route.ip);
  const ownAddresses = new Set(own.addresses);
  return {
    flood: [...new Set(usable.filter(wantsFlooding).flatMap(({ traits }) => floodTarget(traits.flood, own)))].sort(),
    hosts: [...byMac].map(([mac, { nextHop }]) => ({ mac, vtep: nextHop })).sort((a, b) => compareText(a.mac, b.mac)),
    neighbours: [...byIp]
      .filter(([address]) => !ownAddresses.has(address))
      .map(([address, { route }]) => ({ address, mac: route.mac }))
      .sort((a, b) => compareText(a.address, b.address)),
  };
}

type HostRoute = ReceivedRoute & { readonly route: MacIpRoute };
type FloodRoute = ReceivedRoute & { readonly route: InclusiveMulticastRoute };

function hasHost(received: ReceivedRoute): received is HostRoute {
  return received.route.kind === "mac-ip";
}

function wantsFlooding(received: ReceivedRoute): received is FloodRoute {
  return received.route.kind === "inclusive-multicast";
}

/**
 * A missing encapsulation community means what the receiver is configured for (RFC 8365 section 5.1.3), and this
 * segment is VXLAN. Some fabrics lose the community over eBGP (FRRouting/frr#20271).
 */
function isVxlan(tunnelTypes: readonly number[]): boolean {
  return tunnelTypes.length === 0 || tunnelTypes.includes(vxlanTunnelType);
}

function isRemoteHost({ route, nextHop }: HostRoute, own: OwnPart): boolean {
  return (
    // The kernel would send with our own VNI, into another segment of that VTEP.
    route.label === own.vni && route.mac !== own.mac && isUnicastMac(route.mac) && isRemoteVtep(nextHop, own.vtep)
  );
}

/** The tunnel's identifier, not the route's originator, says where flooded frames go (RFC 6514 section 5). */
function floodTarget(flood: ReceivedRoute["traits"]["flood"], own: OwnPart): string[] {
  return flood !== undefined && flood.label === own.vni && isRemoteVtep(flood.endpoint, own.vtep)
    ? [flood.endpoint]
    : [];
}

function isUnicastMac(mac: string): boolean {
  const groupBit = 1;
  return (Number.parseInt(mac.slice(0, 2), 16) & groupBit) === 0 && mac !== "00:00:00:00:00:00";
}

/** One VXLAN interface has one outer address family, and 0/8, 127/8 and 224/3 are no places to send to. */
function isRemoteVtep(address: string, own: string): boolean {
  if (address === own || isIPv4(address) !== isIPv4(own)) {
    return false;
  }
  if (!isIPv4(address)) {
    return address !== "::" && address !== "::1" && !address.startsWith("ff");
  }
  const firstByte = Number.parseInt(address, 10);
  return firstByte !== 0 && firstByte !== 127 && firstByte < 224;
}

function bestBy(routes: readonly HostRoute[], key: (route: HostRoute) => string | undefined): Map<string, HostRoute> {
  const best = new Map<string, HostRoute>();
  for (const candidate of routes) {
    const name = key(candidate);
    if (name === undefined) {
      continue;
    }
    const current = best.get(name);
    if (current === undefined || compareClaims(candidate, current) < 0) {
      best.set(name, candidate);
    }
  }
  return best;
}

/** Code unit order: the same everywhere, whatever the locale. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
