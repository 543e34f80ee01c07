import { evpnFamilyBytes } from "../codec/address-family.js";
import { BgpError, errorCodes } from "../codec/bgp-error.js";

/** The share of a limit from which on people are warned; FRR and Junos have the same. */
const warningShare = 0.75;

export type Fill = "fine" | "near the limit" | "over the limit";

export function judgeFill(count: number, limit: number): Fill {
  if (count > limit) {
    return "over the limit";
  }
  return count >= limit * warningShare ? "near the limit" : "fine";
}

/** RFC 4486 section 4: the data is AFI (2) | SAFI (1) | upper bound (4). */
export function tooManyRoutes(limit: number): BgpError {
  const bound = Buffer.alloc(4);
  bound.writeUInt32BE(limit);
  return new BgpError(
    errorCodes.maximumPrefixes,
    `the peer sent more than ${limit} routes and is left alone for some minutes; let it send only those of the networks that ` +
      "this node carries, or raise bgp.maxRoutes",
    Buffer.concat([evpnFamilyBytes, bound]),
  );
}
