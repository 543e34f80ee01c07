import type { Bgp, Vxlan, VxlanNetworkSpec } from "./configuration.js";
import type { UnnamedNetwork } from "./schema.js";

export type SpeakerNetwork = VxlanNetworkSpec & { readonly vxlan: Vxlan & { readonly bgp: Bgp } };

export function isSpeaker(network: UnnamedNetwork): network is UnnamedNetwork & SpeakerNetwork {
  return network.type === "vxlan" && network.vxlan.bgp !== undefined;
}
