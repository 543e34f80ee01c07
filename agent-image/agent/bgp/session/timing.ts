/** All in milliseconds. */
const second = 1000;

/** RFC 4271 section 8.2.2: a large hold time until the peer's OPEN is there. */
export const openHoldTime = 240 * second;

/**
 * How long one attempt to connect may take. A lost SYN is sent again after 1 and 3 s, so two more tries fit; after that
 * a fresh attempt beats the kernel's growing intervals when the peer has come back.
 */
export const connectTimeout = 5 * second;

/** How long a peer may take nothing of what waits to leave (RFC 9687 section 4): it would else fill our memory. */
export function sendHoldTime(holdTimeSeconds: number): number {
  return Math.max(480, 2 * holdTimeSeconds) * second;
}

/** How long a connection waits for the OPEN over another one that it would have to give way to: a few round trips. */
export const collisionWait = second;

/** RFC 4271 section 4.4: a third of the hold time. */
export function keepaliveInterval(holdTimeSeconds: number): number {
  return (holdTimeSeconds * second) / 3;
}

/** RFC 4271 section 10: a factor between 0.75 and 1, so that many nodes do not act in step. `random` is in [0, 1). */
export function jittered(milliseconds: number, random: number): number {
  return milliseconds * (0.75 + random / 4);
}

const firstRetryDelay = second;
/** Nobody answered: trying costs one packet, and each second counts because FRR 8.4 forgets our routes meanwhile. */
const maximumUnreachableDelay = 4 * second;
/** Somebody answered and ended it: more attempts rarely help and fill two logs (RFC 4271 section 8.1.1, DampPeerOscillations). */
const maximumRefusedDelay = 32 * second;

/** More routes than are taken: they will be as many in a second, and each attempt costs both sides the whole table (RFC 4486 section 4). */
const overLimitDelay = 300 * second;

export type FailureKind = "unreachable" | "refused" | "over the limit";

/** Wait before the next attempt after `failures` in a row; none for a session that stood and was lost. */
export function retryDelay(failures: number, kind: FailureKind): number {
  if (kind === "over the limit") {
    return overLimitDelay;
  }
  if (failures === 0) {
    return 0;
  }
  const maximum = kind === "unreachable" ? maximumUnreachableDelay : maximumRefusedDelay;
  return Math.min(firstRetryDelay * 2 ** (failures - 1), maximum);
}
