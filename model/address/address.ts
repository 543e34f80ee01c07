import ipaddr from "ipaddr.js";
import type { Family } from "../node-plan/node-plan.js";

/** An IP address as a number, so that comparison and containment do not depend on how it was written. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export const addressBits = (family: Family): number => (family === 4 ? 32 : 128);

/**
 * Undefined for anything but a complete address. Shorthand and octal IPv4 (`10.1`, `010.0.0.1`), which C libraries read
 * in different ways, zone ids and IPv4-mapped IPv6 are refused: none of them is a plain address on the wire.
 */
export function parseAddress(text: string): Address | undefined {
  // By the colon, which is in every IPv6 text alone: the library says "no" by an exception inside, and its stack trace costs
  // more than the parsing of an address.
  if (!text.includes(":")) {
    return ipaddr.IPv4.isValidFourPartDecimal(text) ? toAddress(4, ipaddr.IPv4.parse(text).octets, 8n) : undefined;
  }
  const address = parseIpv6(text);
  return address === undefined || address.isIPv4MappedAddress() ? undefined : toAddress(6, address.parts, 16n);
}

/** The IPv4 address that an IPv4-mapped IPv6 address means (RFC 4291 section 2.5.5.2); undefined for anything else. */
export function mappedIpv4(text: string): string | undefined {
  const address = text.includes(":") ? parseIpv6(text) : undefined;
  return address?.isIPv4MappedAddress() ? address.toIPv4Address().toString() : undefined;
}

/** Without a zone id. */
function parseIpv6(text: string): ipaddr.IPv6 | undefined {
  // The library reads `::10.0.0.1`, which is IPv4-compatible (RFC 4291 section 2.5.5.1), as the IPv4-mapped `::ffff:10.0.0.1`.
  const unabridged = text.replace(/^::(?=\d+\.)/, "::0:");
  return text.includes("%") || !ipaddr.IPv6.isValid(unabridged) ? undefined : ipaddr.IPv6.parse(unabridged);
}

/** @param parts of the address from the left, each of `bits` bits */
function toAddress(family: Family, parts: readonly number[], bits: bigint): Address {
  return { family, value: parts.reduce((sum, part) => (sum << bits) | BigInt(part), 0n) };
}

function libraryAddress({ family, value }: Address): ipaddr.IPv4 | ipaddr.IPv6 {
  if (family === 6) return new ipaddr.IPv6(Array.from({ length: 8 }, (_, index) => part(value, 16 * (7 - index))));
  const number = Number(value);
  return new ipaddr.IPv4([24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff));
}

/** Sixteen bits of an IPv6 address, from this one on. */
function part(value: bigint, lowest: number): number {
  return Number((value >> BigInt(lowest)) & 0xffffn);
}

/** IPv6 in the form of RFC 5952, so that equal addresses are equal texts. */
export function formatAddress(address: Address): string {
  const library = libraryAddress(address);
  return library instanceof ipaddr.IPv6 ? library.toRFC5952String() : library.toString();
}

/** The text itself when it is not an address. */
export function canonicalAddress(text: string): string {
  const address = parseAddress(text);
  return address === undefined ? text : formatAddress(address);
}

export function compareAddresses(left: Address, right: Address): number {
  if (left.family !== right.family) return left.family - right.family;
  return left.value < right.value ? -1 : left.value > right.value ? 1 : 0;
}
