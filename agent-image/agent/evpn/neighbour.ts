import type { SessionStatus } from "../../../model/index.js";
import type { SessionConfig } from "../bgp/session/session-config.js";
import type { SessionDetails } from "../bgp/session/session-details.js";
import type { SessionTarget } from "../bgp/session/session-target.js";

/** A peer of a network with all that an operator asks of it. */
export interface Neighbour {
  readonly target: SessionTarget;
  readonly config: SessionConfig;
  readonly status: SessionStatus;
  readonly details: SessionDetails;
  /** When the last session was established; undefined: there has been none. */
  readonly establishedAt: Date | undefined;
  /** How many sessions were lost. */
  readonly losses: number;
  readonly routes: NeighbourRoutes;
}

/** Networks with the same pair of addresses share the session: all but `imported` is theirs together. */
export interface NeighbourRoutes {
  /** From the peer, those included that are not taken because our AS is in their path. */
  readonly received: number;
  /** Received routes that the network imports. */
  readonly imported: number;
  readonly sent: number;
}
