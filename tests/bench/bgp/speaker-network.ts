import type { SpeakerNetwork } from "../../../agent-image/agent/evpn/session-plan.js";
import { asn, firstVni, senderAddress } from "./table-bytes.js";

/** Where every receiver is. */
export const receiverAddress = "10.0.7.11";

/** A network whose session goes to the sender. */
export function speakerNetwork(index: number): SpeakerNetwork {
  const vni = firstVni + index;
  const target = `${asn}:${vni}`;
  return {
    network: `vxlan${vni}`,
    plan: {
      vni,
      vtep: receiverAddress,
      // None of the hosts' numbers has this prefix.
      mac: `06:00:00:00:${(vni >>> 8).toString(16).padStart(2, "0")}:${(vni & 0xff).toString(16).padStart(2, "0")}`,
      routerId: receiverAddress,
      localAsn: asn,
      peerAsn: asn,
      peers: [senderAddress],
      holdTime: 90,
      routeDistinguisher: `${receiverAddress}:${vni}`,
      importRouteTargets: [target],
      exportRouteTargets: [target],
      gobgpPort: 20000 + vni,
    },
  };
}

/** The same networks as a file for the agent. */
export function agentConfiguration(networks: number): string {
  const entries = Array.from({ length: networks }, (_, index) => {
    const subnet = `172.${16 + (index >> 8)}.${index & 0xff}`;
    return `  - type: vxlan
    vxlan:
      vni: ${firstVni + index}
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: ${asn}, peerAsn: ${asn}, peers: [${senderAddress}] }
    routing: { cidr: ${subnet}.0/24, gateway: ${subnet}.1 }
`;
  });
  return `podNetworks: []\nnetworks:\n${entries.join("")}`;
}
