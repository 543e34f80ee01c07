import type { Vxlan } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";

/** A type 1 RD has 16 bits behind the IPv4 address (RFC 4364 section 4.2), a VNI has 24. */
const assignedNumbers = 65_536;

/** The number behind the router id; two networks of one node must differ in it. */
export function routeDistinguisherNumber(vni: number): number {
  return derived([vni], () => vni % assignedNumbers);
}

/** `A.B.C.D:NN`, unique per node and network as RFC 7432 section 7.9 wants it; `bgp.routeDistinguisher` overrides. */
export function routeDistinguisher(vxlan: Vxlan, routerId: string): string {
  return (
    vxlan.bgp?.routeDistinguisher ??
    derived([vxlan.vni, routerId], () => `${routerId}:${routeDistinguisherNumber(vxlan.vni)}`)
  );
}
