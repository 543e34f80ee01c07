import { isIPv6 } from "node:net";
import { addressToBytes } from "../codec/ip-address.js";
import { addressFamilyOf } from "./address-family.js";

/** TCP_MD5SIG_MAXKEYLEN of linux/tcp.h */
export const longestPassword = 80;

/** Both in struct sockaddr_in and sockaddr_in6, which the kernel compares without the port. */
const ipv4Offset = 4;
const ipv6Offset = 8;
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
  structure.writeUInt16LE(addressFamilyOf(peer));
  structure.set(addressToBytes(peer), isIPv6(peer) ? ipv6Offset : ipv4Offset);
  structure.writeUInt16LE(password.length, keyLengthOffset);
  structure.set(password, keyOffset);
  return structure;
}
