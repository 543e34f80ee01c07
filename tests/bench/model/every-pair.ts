import ipaddr from "ipaddr.js";

/**
 * The overlap check that one would write first, with the IP library that the model uses: every prefix with every other.
 * Returns how many pairs overlap.
 */
export function overlappingPairs(cidrs: readonly string[]): number {
  const prefixes = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  let found = 0;
  for (const [index, [address, length]] of prefixes.entries()) {
    for (const [other, otherLength] of prefixes.slice(index + 1)) {
      if (address.kind() === other.kind() && address.match(other, Math.min(length, otherLength))) found += 1;
    }
  }
  return found;
}
