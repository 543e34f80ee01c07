import type { SessionState } from "../../../../model/index.js";
import { addressToBytes } from "../codec/ip-address.js";

/** Who opened a connection. */
export type Initiator = "us" | "peer";

/** One of two connections between the same speakers, as it sees the other one. */
export interface Contest {
  readonly initiator: Initiator;
  /** State of the other connection; undefined where there is none. */
  readonly rival: SessionState | undefined;
}

/** Of a session that only connects. */
export const noContest: Contest = { initiator: "us", rival: undefined };

/** A speaker as collisions are decided. */
export interface Contestant {
  /** BGP identifier, four bytes in dotted form. */
  readonly identifier: string;
  readonly as: number;
}

/**
 * What becomes of a connection over which the peer's OPEN has come. A rival that is Established stays; with one that has the
 * OPEN too, the connection stays which the speaker with the higher identifier has opened (RFC 4271 section 6.8), of equal
 * identifiers the one with the higher AS number (RFC 6286 section 2.3).
 *
 * Before that both stay, because a connection on which nobody speaks must not end one that works. But the one that would lose
 * waits for a moment with its KEEPALIVE: the peer could else have it Established and end the other, while we end this one.
 */
export function judgeCollision(
  { initiator, rival }: Contest,
  own: Contestant,
  peer: Contestant,
): "goes on" | "waits" | "wins" | "loses" {
  if (rival === "Established") return "loses";
  const prevails = (isHigher(own, peer) ? "us" : "peer") === initiator;
  switch (rival) {
    case "OpenConfirm":
      return prevails ? "wins" : "loses";
    case "Connect":
    case "OpenSent":
      return prevails ? "goes on" : "waits";
    default:
      return "goes on";
  }
}

function isHigher(own: Contestant, peer: Contestant): boolean {
  const difference = numberOf(own.identifier) - numberOf(peer.identifier);
  return difference === 0 ? own.as > peer.as : difference > 0;
}

/** Unsigned, in network byte order. */
function numberOf(identifier: string): number {
  return Buffer.from(addressToBytes(identifier)).readUInt32BE();
}
