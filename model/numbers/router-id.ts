import { createHash } from "node:crypto";
import { familyOf } from "../address/prefix.js";
import type { Bgp } from "../configuration/configuration.js";

/** Class D and E have this bit and the next two; peers from before RFC 6286 refuse them as no host's (RFC 4271 section 6.2). */
const highestBit = 0x8000_0000;

/**
 * The BGP identifier of a node, which nobody else in the AS may have (RFC 6286 section 2.1): two nodes with one would take
 * each other's reflected routes for their own (RFC 4456 section 8), and share route distinguishers. The VTEP address where
 * it has four bytes; for IPv6 a hash of it, as Calico (`CALICO_ROUTER_ID=hash`) and MetalLB make one for nodes without
 * IPv4. Among 1000 nodes two meet with a chance of 1 in 4000; `bgp.routerId` then tells one of them apart.
 */
export function routerId(bgp: Pick<Bgp, "routerId">, vtep: string): string {
  return bgp.routerId ?? (familyOf(vtep) === 4 ? vtep : hashedRouterId(vtep));
}

/** @param vtep in canonical form */
function hashedRouterId(vtep: string): string {
  const hash = createHash("sha256").update(vtep).digest();
  // 0.0.0.0 is no identifier; the next value is as good as any.
  const value = hash.readUInt32BE() & ~highestBit || 1;
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join(".");
}
