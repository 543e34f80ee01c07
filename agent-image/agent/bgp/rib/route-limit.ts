import { evpnFamilyBytes } from "../codec/address-family.js";
import { BgpError, errorCodes } from "../codec/bgp-error.js";

/**
 * Routes of one peer that are kept: three times the hundred thousand of a very large fabric. Beyond that the peer has a fault,
 * and the node's memory is worth more than its routes.
 */
export const defaultRouteLimit = 300_000;

/** MACs of one network that the kernel gets: half of the routes, because a host has one with its address and one without. */
export const defaultMacLimit = defaultRouteLimit / 2;

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
