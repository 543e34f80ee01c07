import { compareAddresses } from "../codec/ip-address.js";
import { isLive, type ReceivedRoute } from "./received-route.js";

/**
 * Which of two routes for the same host counts (RFC 7432 section 15); negative when the first does. Only routes that
 * are present are compared, no number is remembered: a lower sequence after a withdraw is right (FRRouting/frr#10468).
 *
 * A stale route yields to any fresh one: it is kept for want of something better, and one that is kept long after its session
 * yields to all others (RFC 9494 section 4.3).
 */
export function compareClaims(a: ReceivedRoute, b: ReceivedRoute): number {
  return (
    staleness(a) - staleness(b) ||
    Number(b.traits.sticky) - Number(a.traits.sticky) ||
    b.traits.sequence - a.traits.sequence ||
    compareAddresses(a.nextHop, b.nextHop)
  );
}

function staleness({ stale, traits }: ReceivedRoute): number {
  return traits.longLivedStale ? 2 : Number(stale);
}

/** RFC 7432 section 7.7: 32 bits. */
export const maximumSequence = 0xffff_ffff;

/**
 * Half of the 32 bits of RFC 7432 section 7.7: a host that moves each second is there after 68 years. A number that is never lowered
 * must not follow one from beyond: one false route would leave the host without a number to answer with for ever.
 */
export const highestFollowed = 0x7fff_ffff;

/** No number of ours is set above this claim. */
export function isOutOfReach({ traits }: ReceivedRoute): boolean {
  return traits.sequence > highestFollowed;
}

/**
 * The number for a host that has just come to us: above every live claim within reach that others still hold, otherwise unchanged.
 * An absent number is 0, so the first move is 1 (RFC 7432 section 15). It never wraps and is never lowered.
 */
export function sequenceAbove(current: number, competing: readonly ReceivedRoute[]): number {
  const live = competing.filter((route) => isLive(route) && !isOutOfReach(route)).map(({ traits }) => traits.sequence);
  const highest = live.reduce((left, right) => Math.max(left, right), -1);
  return Math.max(current, highest + 1);
}
