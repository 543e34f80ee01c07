/**
 * Microseconds until the next packet: periodic packets of many sessions must not fall into step (RFC 5880 section 6.8.7).
 * With a multiplier of 1 one late packet is the end, so that the longest wait is shorter there.
 *
 * @param random in [0, 1)
 */
export function jitteredInterval(interval: number, multiplier: number, random: number): number {
  const longest = multiplier === 1 ? 0.9 : 1;
  return interval * (0.75 + random * (longest - 0.75));
}
