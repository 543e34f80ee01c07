import type { VxlanNetworkSpec } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";

/** 20000 to 29999 lies under the NodePort range (30000) and the kernel's ephemeral ports (32768). */
const firstPort = 20_000;
const ports = 10_000;

/** TCP port of the network's GoBGP API on 127.0.0.1. A VNI has 24 bits and does not fit a port: two VNIs can clash. */
export function gobgpPort(spec: Pick<VxlanNetworkSpec, "vxlan">): number {
  const { vni, bgp } = spec.vxlan;
  return bgp?.gobgpPort ?? derived([vni], () => firstPort + (vni % ports));
}
