import { familyOf } from "../address/prefix.js";
import type { FilterPlan } from "../node-plan/node-plan.js";
import type { NftRule } from "./nft-chains.js";

/** IP and TCP headers without options, which TCP's maximum segment size leaves out (RFC 9293 section 3.7.1). */
const headers = { 4: 40, 6: 60 } as const;

/**
 * Tells both sides of each TCP connection to send no more than the interface carries. An explicit size instead of `rt mtu`: for
 * what comes in that would be the MTU towards the backend, and the way back is looked up in the main table (nft_rt.c). nft never
 * raises what a host asked for (nft_exthdr.c).
 */
export function clampRules({
  device,
  prefixes,
  clampMtu,
}: Pick<FilterPlan, "device" | "prefixes" | "clampMtu">): readonly NftRule[] {
  if (clampMtu === undefined) return [];
  return ([4, 6] as const)
    .filter((family) => prefixes.some((prefix) => familyOf(prefix) === family))
    .flatMap((family): readonly NftRule[] => {
      const clamp = `meta nfproto ipv${family} tcp flags syn tcp option maxseg size set ${clampMtu - headers[family]}`;
      return [
        { chain: "clamp_input", text: `iifname ${device} ${clamp}` },
        { chain: "clamp_output", text: `oifname ${device} ${clamp}` },
      ];
    });
}
