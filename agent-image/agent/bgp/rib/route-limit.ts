import { evpnFamilyBytes } from "../codec/address-family.js";
import { BgpError, errorCodes } from "../codec/bgp-error.js";

/**
 * Routes of one peer that are kept: three times the hundred thousand of a very large fabric. Beyond that the peer has a fault,
 * and the node's memory is worth more than its routes.
 */
export const defaultRouteLimit = 300_000;

/** The share of the limit from which on people are warned. */
const warningShare = 0.8;

export type RouteCount = "fine" | "near the limit" | "over the limit";

export function judgeRouteCount(count: number, limit: number): RouteCount {
  if (count > limit) {
    return "over the limit";
  }
  return count > limit * warningShare ? "near the limit" : "fine";
}

/** RFC 4486 section 4: the data is AFI (2) | SAFI (1) | upper bound (4). */
export function tooManyRoutes(limit: number): BgpError {
  const bound = Buffer.alloc(4);
  bound.writeUInt32BE(limit);
  return new BgpError(
    errorCodes.maximumPrefixes,
    `the peer sent more than ${limit} routes; let it send only those of the networks that this node carries`,
    Buffer.concat([evpnFamilyBytes, bound]),
  );
}
