import { createHash } from "node:crypto";
import { canonicalAddress } from "../address/address.js";
import { derived } from "../configuration/unknown-value.js";

const locallyAdministered = 0x02;
const multicast = 0x01;

/**
 * The MAC of a node's VXLAN interface: the same after reboot and recreation, so that peers never hold an old one
 * (FRRouting/frr#16837), different on every node and in every network. Locally administered unicast (IEEE 802).
 */
export function vxlanMac(vtep: string, vni: number): string {
  return derived([vtep, vni], () => {
    const hash = createHash("sha256")
      .update(`${canonicalAddress(vtep)} ${vni}`)
      .digest();
    hash[0] = ((hash[0] ?? 0) | locallyAdministered) & ~multicast;
    return [...hash.subarray(0, 6)].map((octet) => octet.toString(16).padStart(2, "0")).join(":");
  });
}
