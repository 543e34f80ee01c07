import { type ErrorCode, errorCodes } from "../codec/bgp-error.js";
import { encodeShutdownCommunication } from "../codec/shutdown-communication.js";
import type { Negotiated } from "./negotiation.js";

/** The NOTIFICATION that ends a session. */
export interface Farewell {
  readonly errorCode: ErrorCode;
  readonly data: Buffer;
}

export const peerDeconfigured: Farewell = { errorCode: errorCodes.peerDeconfigured, data: Buffer.alloc(0) };

/** The session comes back at once with other parameters. */
export const otherConfigurationChange: Farewell = {
  errorCode: errorCodes.otherConfigurationChange,
  data: Buffer.alloc(0),
};

/** Another connection with the same peer stays (RFC 4271 section 6.8). */
export const connectionCollision: Farewell = { errorCode: errorCodes.connectionCollision, data: Buffer.alloc(0) };

/** With a text for the peer's operator, of which 255 bytes are sent at most (RFC 9003 section 2). */
export function administrativeShutdown(text?: string): Farewell {
  return {
    errorCode: errorCodes.administrativeShutdown,
    data: text === undefined ? Buffer.alloc(0) : encodeShutdownCommunication(text),
  };
}

/**
 * Ends that are meant to last, so that the peer shall forget our routes: RFC 8538 section 5.1. Other Configuration Change is
 * left out, as in FRR (bgp_notify_send_hard_reset): the next session follows at once, and frames should find us meanwhile.
 */
const lasting: readonly ErrorCode[] = [
  errorCodes.maximumPrefixes,
  errorCodes.administrativeShutdown,
  errorCodes.peerDeconfigured,
];

/**
 * As it goes to this peer. One that keeps routes over a NOTIFICATION (N bit; we always offer it) forgets them only at a Hard
 * Reset, and others do not know that one (RFC 8538 section 3.1).
 *
 * @param forget whether the peer shall forget our routes, where the error code alone does not say
 */
export function addressed(
  farewell: Farewell,
  negotiated: Negotiated | undefined,
  forget = isLasting(farewell.errorCode),
): Farewell {
  const { code, subcode } = farewell.errorCode;
  return forget && negotiated?.peerRestart?.notification === true
    ? { errorCode: errorCodes.hardReset, data: Buffer.concat([Buffer.from([code, subcode]), farewell.data]) }
    : farewell;
}

function isLasting({ code, subcode }: ErrorCode): boolean {
  return lasting.some((other) => other.code === code && other.subcode === subcode);
}
