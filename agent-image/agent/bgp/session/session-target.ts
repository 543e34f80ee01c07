import type { Duplex } from "node:stream";

export interface SessionTarget {
  /** The address to connect from: the VTEP, because the peer knows us by it. */
  readonly local: string;
  readonly peer: string;
}

/** What keeps strangers out of a session, set on the socket before it connects. */
export interface SessionProtection {
  /** Path of the file with the TCP MD5 password (RFC 2385), read anew for each connection. */
  readonly passwordFile?: string;
  /** How many hops away the peer may be, itself counted (RFC 5082). */
  readonly ttlSecurity?: number;
}

/** Opens a connection; the stream says `connect` when it stands, or `error` and `close`. */
export type SocketFactory = (target: SessionTarget, protection: SessionProtection) => Duplex;
