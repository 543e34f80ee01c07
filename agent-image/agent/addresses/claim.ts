/** What MetalLB's objects say, reduced to what ownership needs. Pure data. */

/** `namespace/name` of a Service. */
export type ServiceKey = string;

/** One `ServiceL2Status`: a speaker says that it answers for a Service. */
export interface Claim {
  readonly service: ServiceKey;
  /**
   * The label `metallb.io/node`, which is where the writer runs. `status.node` is immutable and names the former owner
   * for hours after a move (metallb/metallb#2930).
   */
  readonly node: string;
  /** Name of the object: breaks ties. */
  readonly object: string;
  /** RFC 3339, to the second. */
  readonly createdAt: string;
  /** Uid of the owning speaker pod. */
  readonly speaker?: string;
  /** Interfaces on which MetalLB answers; empty = all of them. */
  readonly interfaces: readonly string[];
}

export interface SpeakerPod {
  readonly uid: string;
  readonly node: string;
  readonly ready: boolean;
}

/** What the API server says now. A part that could not be read yet is absent: absence is no statement. */
export interface ClaimObservation {
  readonly claims?: readonly Claim[];
  /** LoadBalancer addresses of each Service. */
  readonly services?: ReadonlyMap<ServiceKey, readonly string[]>;
  readonly readyNodes?: ReadonlySet<string>;
  readonly speakers?: readonly SpeakerPod[];
}
