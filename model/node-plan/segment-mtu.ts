import type { NetworkSpec } from "../configuration/configuration.js";
import { ethernetMtu } from "../numbers/limits.js";

/** What the gateway and the hosts of a segment send, in bytes: as configured, or what hosts send by default. */
export function segmentMtu(spec: NetworkSpec): number {
  return (spec.type === "vxlan" ? spec.vxlan.mtu : spec.vlan.mtu) ?? ethernetMtu;
}
