import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** 4 or 16 bytes in network order; throws a TypeError on text that is no address. */
export function addressToBytes(text: string): Buffer {
  if (isIPv4(text)) {
    return Buffer.from(text.split(".").map(Number));
  }
  if (isIPv6(text)) {
    return Buffer.from(ipaddr.parse(text).toByteArray());
  }
  throw new TypeError(`"${text}" is not an IP address`);
}

/** Dotted decimal for 4 bytes, RFC 5952 form for 16. */
export function addressFromBytes(bytes: Buffer): string {
  return addressAt(bytes, 0, bytes.length);
}

/** The same within other bytes. */
export function addressAt(bytes: Buffer, offset: number, length: number): string {
  if (length === 4) {
    return `${bytes[offset]}.${bytes[offset + 1]}.${bytes[offset + 2]}.${bytes[offset + 3]}`;
  }
  return new ipaddr.IPv6([...bytes.subarray(offset, offset + length)]).toRFC5952String();
}

/** Numeric order; IPv4 before IPv6. */
export function compareAddresses(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  const left = addressToBytes(a);
  const right = addressToBytes(b);
  return left.length - right.length || Buffer.compare(left, right);
}

/** IPv4-like 4-byte identifiers: BGP identifier, ORIGINATOR_ID, cluster id (RFC 6286: any non-zero number). */
export function identifierFromNumber(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 0xff}.${(value >>> 8) & 0xff}.${value & 0xff}`;
}
