import { parsePrefix } from "../address/prefix.js";
import { ipv6MinimumMtu, mtuRange } from "../numbers/limits.js";
import type { Routing } from "./configuration.js";

/** Bytes that a network with these subnets has to carry at least, so that all of them work. */
export function smallestMtu(subnets: readonly Routing[]): number {
  return ipv6Prefixes(subnets).length > 0 ? ipv6MinimumMtu : mtuRange.minimum;
}

/** Values that are unknown or no prefix are passed over. */
export function ipv6Prefixes(subnets: readonly Routing[]): readonly string[] {
  return subnets.map(({ cidr }) => cidr).filter((cidr) => parsePrefix(cidr)?.family === 6);
}
