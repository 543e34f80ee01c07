import type { SessionProtection } from "./session-target.js";

/** The parameters of one session; networks that share it must agree on every one of them. */
export interface SessionConfig extends SessionProtection {
  readonly localAsn: number;
  readonly peerAsn: number;
  /** Our BGP identifier (RFC 6286). */
  readonly routerId: string;
  /** What we propose, in seconds; the smaller of both sides' values counts. */
  readonly holdTime: number;
  /** How often our AS may stand in the path of a route from an external peer; absent: never. */
  readonly allowOwnAs?: number;
  /** This process follows one that left forwarding in the kernel: the R bit of RFC 4724 in the first OPEN. */
  readonly restarted: boolean;
}

export function isInternal({ localAsn, peerAsn }: SessionConfig): boolean {
  return localAsn === peerAsn;
}
