/** What MetalLB's objects say, reduced to what ownership needs. Pure data. */

/** `namespace/name` of a Service. */
export type ServiceKey = string;

/**
 * A speaker says that it answers for a Service: by its `ServiceL2Status`, or by the Service's `nodeAssigned` event, which
 * is there also when MetalLB v0.15 fails to make the former after a move (metallb/metallb#2930).
 */
export interface Claim {
  readonly service: ServiceKey;
  /**
   * Where the writer runs: the label `metallb.io/node`, or the event's text. `status.node` is immutable and names the
   * former owner for hours after a move (metallb/metallb#2930).
   */
  readonly node: string;
  /** Name of the object: breaks ties. */
  readonly object: string;
  /** When it was last stated, by the API server's clock: RFC 3339, to the second. */
  readonly statedAt: string;
  /** Uid of the speaker pod; an event does not name it. */
  readonly speaker?: string;
  /** Interfaces on which MetalLB answers; empty = all of them, or unknown. */
  readonly interfaces: readonly string[];
}

export interface SpeakerPod {
  readonly uid: string;
  readonly node: string;
  readonly ready: boolean;
  /** It repeats its announcements itself (metallb/metallb#3125). */
  readonly repeats: boolean;
}

/** What the API server says now. A part that could not be read yet is absent: absence is no statement. */
export interface ClaimObservation {
  readonly claims?: readonly Claim[];
  /** LoadBalancer addresses of each Service. */
  readonly services?: ReadonlyMap<ServiceKey, readonly string[]>;
  readonly readyNodes?: ReadonlySet<string>;
  readonly speakers?: readonly SpeakerPod[];
}
