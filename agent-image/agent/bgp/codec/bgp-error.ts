/**
 * What a NOTIFICATION says: code and subcode (RFC 4271 section 4.5 and the registries that grew from it). The names are
 * those of the RFCs.
 */
export interface ErrorCode {
  readonly code: number;
  readonly subcode: number;
}

export const errorCodes = {
  // RFC 4271 section 6.1
  connectionNotSynchronized: { code: 1, subcode: 1 },
  badMessageLength: { code: 1, subcode: 2 },
  badMessageType: { code: 1, subcode: 3 },
  // RFC 4271 section 6.2; RFC 5492 section 5
  malformedOpen: { code: 2, subcode: 0 },
  unsupportedVersion: { code: 2, subcode: 1 },
  badPeerAs: { code: 2, subcode: 2 },
  badBgpIdentifier: { code: 2, subcode: 3 },
  unsupportedOptionalParameter: { code: 2, subcode: 4 },
  unacceptableHoldTime: { code: 2, subcode: 6 },
  unsupportedCapability: { code: 2, subcode: 7 },
  // RFC 4271 section 6.3
  malformedAttributeList: { code: 3, subcode: 1 },
  unrecognizedWellKnownAttribute: { code: 3, subcode: 2 },
  missingWellKnownAttribute: { code: 3, subcode: 3 },
  attributeFlagsError: { code: 3, subcode: 4 },
  attributeLengthError: { code: 3, subcode: 5 },
  invalidOrigin: { code: 3, subcode: 6 },
  optionalAttributeError: { code: 3, subcode: 9 },
  malformedAsPath: { code: 3, subcode: 11 },
  // RFC 4271 section 6.5
  holdTimerExpired: { code: 4, subcode: 0 },
  // RFC 6608
  unexpectedMessageInOpenSent: { code: 5, subcode: 1 },
  unexpectedMessageInOpenConfirm: { code: 5, subcode: 2 },
  unexpectedMessageInEstablished: { code: 5, subcode: 3 },
  // RFC 4271 section 4.5: 0 where no subcode fits. A mistake of our own is no fault of the peer's messages.
  internalError: { code: 6, subcode: 0 },
  // RFC 4486, RFC 8538
  maximumPrefixes: { code: 6, subcode: 1 },
  administrativeShutdown: { code: 6, subcode: 2 },
  peerDeconfigured: { code: 6, subcode: 3 },
  otherConfigurationChange: { code: 6, subcode: 6 },
  connectionCollision: { code: 6, subcode: 7 },
  hardReset: { code: 6, subcode: 9 },
  // RFC 9384
  bfdDown: { code: 6, subcode: 10 },
  // RFC 9687 section 3.2
  sendHoldTimerExpired: { code: 8, subcode: 0 },
  // RFC 7313 section 5
  invalidRouteRefreshLength: { code: 7, subcode: 1 },
} as const satisfies Record<string, ErrorCode>;

const codeNames: Readonly<Record<number, string>> = {
  1: "Message Header Error",
  2: "OPEN Message Error",
  3: "UPDATE Message Error",
  4: "Hold Timer Expired",
  5: "Finite State Machine Error",
  6: "Cease",
  7: "ROUTE-REFRESH Message Error",
  8: "Send Hold Timer Expired",
};

/** Subcodes that an operator meets often enough to want their names; others are printed as numbers. */
const subcodeNames: Readonly<Record<string, string>> = {
  "1/2": "Bad Message Length",
  "2/2": "Bad Peer AS",
  "2/3": "Bad BGP Identifier",
  "2/6": "Unacceptable Hold Time",
  "2/7": "Unsupported Capability",
  "3/1": "Malformed Attribute List",
  "6/1": "Maximum Number of Prefixes Reached",
  "6/2": "Administrative Shutdown",
  "6/3": "Peer De-configured",
  "6/4": "Administrative Reset",
  "6/5": "Connection Rejected",
  "6/6": "Other Configuration Change",
  "6/7": "Connection Collision Resolution",
  "6/8": "Out of Resources",
  "6/9": "Hard Reset",
  "6/10": "BFD Down",
};

/** For people: `Cease, Peer De-configured (6/3)`. */
export function describeErrorCode({ code, subcode }: ErrorCode): string {
  const names = [codeNames[code] ?? "unknown error", subcodeNames[`${code}/${subcode}`]].filter((name) => name);
  return `${names.join(", ")} (${code}/${subcode})`;
}

/** Where the RFCs say that a session ends so, by code and subcode, then by code. */
const clauses: Readonly<Record<string, string>> = {
  "1": "RFC 4271 section 6.1",
  "2": "RFC 4271 section 6.2",
  "2/7": "RFC 5492 section 3",
  "3": "RFC 4271 section 6.3",
  "4": "RFC 4271 section 6.5",
  "5": "RFC 6608 section 3",
  "6": "RFC 4271 section 6.7",
  "6/1": "RFC 4486 section 4",
  "6/10": "RFC 9384 section 3",
  "7": "RFC 7313 section 5",
  "8": "RFC 9687 section 3.2",
};

function clauseOf({ code, subcode }: ErrorCode): string {
  return clauses[`${code}/${subcode}`] ?? clauses[code] ?? "RFC 4271 section 6";
}

const nothing = Buffer.alloc(0);

/**
 * A fault in what a peer sent, with the NOTIFICATION that answers it where the session cannot go on. The only error
 * that the codec throws.
 */
export class BgpError extends Error {
  override readonly name = "BgpError";
  readonly errorCode: ErrorCode;
  readonly data: Buffer;
  /** The rule that was broken or that says what to do, such as `RFC 7606 section 5.2`. */
  readonly clause: string;

  constructor(errorCode: ErrorCode, message: string, data: Buffer = nothing, clause = clauseOf(errorCode)) {
    // Where in this program is no news, and to find out takes most of the time for a message with thousands of faulty routes.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.errorCode = errorCode;
    this.data = data;
    this.clause = clause;
  }
}
