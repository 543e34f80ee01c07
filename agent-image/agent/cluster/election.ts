/** Who rolls out: one agent holds a Lease. Pure decisions, times passed in. */

export const leaseName = "vlan-router";
/** Seconds after which a holder that was not heard of has lost the Lease. */
export const leaseDuration = 15;
/** Milliseconds between two looks at the Lease. */
export const leaseRetryPeriod = 5_000;
/**
 * A holder that could not renew for this long stops acting, before others may take over: the difference to the
 * duration covers clock rates and a request on its way.
 */
export const leaseRenewDeadline = 10_000;

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** The last state of the Lease, and when this process first saw it (monotonic milliseconds). */
export interface LeaseSighting {
  readonly spec: LeaseSpec;
  readonly resourceVersion: string;
  readonly seenAt: number;
}

/** Remembers when the Lease last changed, by this process's clock: the clocks of other nodes are not trusted. */
export function sight(
  previous: LeaseSighting | undefined,
  spec: LeaseSpec,
  resourceVersion: string,
  now: number,
): LeaseSighting {
  return previous?.resourceVersion === resourceVersion ? previous : { spec, resourceVersion, seenAt: now };
}

export type LeaseDecision = "acquire" | "renew" | "wait";

/** What to do about the Lease as it was last seen. An empty holder has given it up. */
export function decideLease(sighting: LeaseSighting, identity: string, now: number): LeaseDecision {
  const { holderIdentity, leaseDurationSeconds } = sighting.spec;
  if (holderIdentity === identity) {
    return "renew";
  }
  if (holderIdentity === undefined || holderIdentity === "") {
    return "acquire";
  }
  return now - sighting.seenAt > (leaseDurationSeconds ?? leaseDuration) * 1000 ? "acquire" : "wait";
}

/** The Lease as this process writes it. `time` is RFC 3339 with microseconds, the API's MicroTime. */
export function heldLease(current: LeaseSpec | undefined, identity: string, time: string): LeaseSpec {
  const renewing = current?.holderIdentity === identity;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: leaseDuration,
    acquireTime: renewing ? (current.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: (current?.leaseTransitions ?? 0) + (renewing || current === undefined ? 0 : 1),
  };
}
