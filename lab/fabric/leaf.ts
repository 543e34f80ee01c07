import { type FabricNetwork, fabricNetworks, type ReflectorName, reflectorNames, underlay } from "../topology.js";
import { type Command, inside, ip } from "./command.js";

/** IANA's port for VXLAN, RFC 7348 section 5. */
const VXLAN_PORT = 4789;
/** Ethernet 14, VXLAN 8, UDP 8 and IPv4 20 bytes, RFC 7348 section 5. */
const VXLAN_OVERHEAD = 50;

/** The largest IP packet that a segment carries. */
export const segmentMtu = underlay.mtu - VXLAN_OVERHEAD;

export const leafBridge = ({ vni }: FabricNetwork): string => `br${vni}`;
export const leafVxlan = ({ vni }: FabricNetwork): string => `vni${vni}`;

/** Makes both reflectors leaf VTEPs of every segment. FRR finds the bridges and fills the forwarding entries. */
export function leafCommands(): readonly Command[] {
  return reflectorNames.flatMap((name) => fabricNetworks.flatMap((network) => segment(name, network)));
}

function segment(name: ReflectorName, network: FabricNetwork): readonly Command[] {
  const [bridge, vxlan] = [leafBridge(network), leafVxlan(network)];
  return [
    ip(name, "link", "add", bridge, "mtu", String(segmentMtu), "type", "bridge"),
    ip(name, "link", "add", vxlan, "mtu", String(segmentMtu), "type", "vxlan").concat([
      "id",
      String(network.vni),
      "local",
      underlay.reflectors[name],
      "dstport",
      String(VXLAN_PORT),
      "nolearning",
    ]),
    ip(name, "link", "set", vxlan, "master", bridge),
    // What FRR learns by BGP must not be overwritten by what frames say, and ARP is answered from Type-2 routes (RFC 9161).
    inside(name, "bridge", "link", "set", "dev", vxlan, "learning", "off", "neigh_suppress", "on"),
    // A leaf is a switch: it has no address of its own on the segment.
    ip(name, "link", "set", bridge, "addrgenmode", "none"),
    ip(name, "link", "set", vxlan, "addrgenmode", "none"),
    ip(name, "link", "set", vxlan, "up"),
    ip(name, "link", "set", bridge, "up"),
  ];
}
