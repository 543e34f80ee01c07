import { rangeSize } from "../address/address-range.js";
import type { Routing } from "../configuration/configuration.js";
import { assignableRanges } from "./assignable-ranges.js";

/**
 * Addresses that can be given to customers, in all subnets together. Beyond 2^53, as in any IPv6 /64, the number is
 * rounded.
 */
export function addressCapacity(routing: readonly Pick<Routing, "cidr" | "gateway">[]): number {
  return routing.flatMap(assignableRanges).reduce((sum, range) => sum + Number(rangeSize(range)), 0);
}
