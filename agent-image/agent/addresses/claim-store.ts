import { compareTexts } from "../../../model/node-plan/compare.js";
import type { Claim, ClaimObservation, ServiceKey } from "./claim.js";

/** A claim that won, with the addresses that its Service had; remembered after its object vanished. */
export interface KeptClaim extends Claim {
  readonly addresses: readonly string[];
}

/** Which claim holds for each Service. Plain data: its claims are kept on the node over restarts. */
export interface ClaimStore {
  /** Sorted by Service. */
  readonly claims: readonly KeptClaim[];
  /**
   * Monotonic milliseconds since when this node's speaker is not ready; absent while it is, or is unknown. Of this process
   * alone: a clock that is set, by ten seconds or by years, must neither end a claim nor keep one.
   */
  readonly speakerUnreadySince?: number;
}

export const emptyClaimStore: ClaimStore = { claims: [] };

/**
 * A restart of the speaker pod takes 3 s and must not move anything; a speaker that is away for longer does not answer
 * for the address any more, and MetalLB's other speakers take over after 5 to 7 s (measured).
 */
const speakerUnreadyLimit = 10_000;

/**
 * Follows MetalLB's claims. Absence of an object never ends a claim: it vanishes while the speaker still serves
 * (measured on v0.15.2), and two speakers delete each other's objects for seconds after a healed link (v0.16.2). A
 * claim ends by another valid claim, by the loss of the Service or its addresses, or when this node's own speaker is
 * not ready for 10 s.
 *
 * @param now monotonic milliseconds
 */
export function followClaims(store: ClaimStore, seen: ClaimObservation, nodeName: string, now: number): ClaimStore {
  const unreadySince = speakerUnreadySince(store, seen, nodeName, now);
  const ownSpeakerGone = unreadySince !== undefined && now - unreadySince >= speakerUnreadyLimit;

  const candidates = new Map<ServiceKey, KeptClaim[]>();
  const offer = (claim: KeptClaim): void => {
    if (!(ownSpeakerGone && claim.node === nodeName)) {
      candidates.set(claim.service, [...(candidates.get(claim.service) ?? []), claim]);
    }
  };
  const present = new Set((seen.claims ?? []).map(({ object }) => object));
  for (const kept of store.claims) {
    if (!present.has(kept.object)) {
      offer(kept);
    }
  }
  for (const claim of seen.claims ?? []) {
    offer({ ...claim, addresses: store.claims.find(({ object }) => object === claim.object)?.addresses ?? [] });
  }

  const claims: KeptClaim[] = [];
  for (const [service, offered] of candidates) {
    const best = offered.reduce((one, other) => (precedes(other, one, seen, present) ? other : one));
    const addresses = seen.services === undefined ? best.addresses : (seen.services.get(service) ?? []);
    if (seen.services === undefined || addresses.length > 0) {
      claims.push({ ...best, addresses });
    }
  }
  claims.sort((one, other) => compareTexts(one.service, other.service));
  return unreadySince === undefined ? { claims } : { claims, speakerUnreadySince: unreadySince };
}

/** Monotonic milliseconds at which the store changes by time alone, if it will. */
export function nextClaimDeadline(store: ClaimStore): number | undefined {
  return store.speakerUnreadySince === undefined ? undefined : store.speakerUnreadySince + speakerUnreadyLimit;
}

function speakerUnreadySince(
  store: ClaimStore,
  seen: ClaimObservation,
  nodeName: string,
  now: number,
): number | undefined {
  if (seen.speakers === undefined || seen.speakers.some(({ node, ready }) => node === nodeName && ready)) {
    return undefined;
  }
  return store.speakerUnreadySince ?? now;
}

/**
 * A claim whose node is Ready and whose speaker lives goes first, then the latest. The API server's times are whole seconds:
 * of two in one second the object that is still there was the last, and the name makes the order total.
 */
function precedes(one: Claim, other: Claim, seen: ClaimObservation, present: ReadonlySet<string>): boolean {
  const valid = isValid(one, seen);
  if (valid !== isValid(other, seen)) {
    return valid;
  }
  if (one.statedAt !== other.statedAt) {
    return one.statedAt > other.statedAt;
  }
  if (present.has(one.object) !== present.has(other.object)) {
    return present.has(one.object);
  }
  return one.object > other.object;
}

function isValid(claim: Claim, seen: ClaimObservation): boolean {
  const nodeReady = seen.readyNodes === undefined || seen.readyNodes.has(claim.node);
  const speakerLives =
    seen.speakers === undefined ||
    seen.speakers.some(
      ({ uid, node }) => node === claim.node && (claim.speaker === undefined || uid === claim.speaker),
    );
  return nodeReady && speakerLives;
}
