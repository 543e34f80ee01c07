/** RFC 5082 section 3: what nobody further away can make arrive. */
export const highestTtl = 255;

/** The TTL that is left of {@link highestTtl} in a packet from a peer so many hops away, itself counted. */
export function lowestTtl(hops: number): number {
  return highestTtl + 1 - hops;
}
