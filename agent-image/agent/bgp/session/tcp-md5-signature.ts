import { socketAddress } from "./socket-address.js";

/** TCP_MD5SIG_MAXKEYLEN of linux/tcp.h */
export const longestPassword = 80;

/** struct tcp_md5sig: behind a sockaddr_storage of 128 bytes come flags and prefix length, which stay zero. */
const keyLengthOffset = 130;
const keyOffset = 136;
const structureLength = 216;

/**
 * struct tcp_md5sig of linux/tcp.h, which tells the kernel with which password segments to and from a peer are signed
 * (RFC 2385).
 *
 * @throws RangeError for a password that the kernel cannot hold; its text is not in the message
 */
export function tcpMd5Signature(peer: string, password: Buffer): Buffer {
  if (password.length === 0 || password.length > longestPassword) {
    throw new RangeError(
      `a password of ${password.length} bytes cannot sign TCP segments: write 1 to ${longestPassword} bytes`,
    );
  }
  const structure = Buffer.alloc(structureLength);
  // The kernel compares it without the port.
  structure.set(socketAddress(peer, 0));
  structure.writeUInt16LE(password.length, keyLengthOffset);
  structure.set(password, keyOffset);
  return structure;
}
