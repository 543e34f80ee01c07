import type { Lab } from "../lab.js";
import type { ReflectorName } from "../topology.js";

export interface BgpNeighbor {
  readonly address: string;
  /** State of RFC 4271 section 8.2.2, such as `Established`. */
  readonly state: string;
  readonly prefixesReceived: number;
  readonly prefixesSent: number;
  /** Milliseconds in this state; 0 when it never was Established. */
  readonly uptime: number;
}

/** The EVPN neighbours of a reflector. A node is one only while it has a connection: nodes are dynamic neighbours. */
export async function bgpNeighbors(lab: Lab, reflector: ReflectorName): Promise<readonly BgpNeighbor[]> {
  const command = "show bgp l2vpn evpn summary json";
  const { stdout } = await lab.exec(reflector, ["vtysh", "-d", "bgpd", "-c", command]);
  return parseBgpNeighbors(stdout);
}

/** Reads `show bgp l2vpn evpn summary json`. */
export function parseBgpNeighbors(json: string): readonly BgpNeighbor[] {
  const { peers = {} } = JSON.parse(json) as {
    peers?: Record<string, { state: string; pfxRcd?: number; pfxSnt?: number; peerUptimeMsec?: number }>;
  };
  return Object.entries(peers).map(([address, peer]) => ({
    address,
    state: peer.state,
    prefixesReceived: peer.pfxRcd ?? 0,
    prefixesSent: peer.pfxSnt ?? 0,
    uptime: peer.peerUptimeMsec ?? 0,
  }));
}
