import type { Family } from "../node-plan/node-plan.js";
import { type Address, addressBits, compareAddresses, formatAddress, parseAddress } from "./address.js";

/** `address` keeps host bits where the text has them; `networkOf` clears them. */
export interface Prefix extends Address {
  readonly length: number;
}

/** Undefined when the text is not ADDRESS/LENGTH. */
export function parsePrefix(text: string): Prefix | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const address = match?.[1] === undefined ? undefined : parseAddress(match[1]);
  const length = Number(match?.[2]);
  return address === undefined || length > addressBits(address.family) ? undefined : { ...address, length };
}

export function formatPrefix(prefix: Prefix): string {
  return `${formatAddress(prefix)}/${prefix.length}`;
}

/** The text itself when it is not a prefix. */
export function canonicalPrefix(text: string): string {
  const prefix = parsePrefix(text);
  return prefix === undefined ? text : formatPrefix(prefix);
}

/** A single address is the prefix of its full length. */
export function parseAddressOrPrefix(text: string): Prefix | undefined {
  const address = parseAddress(text);
  return address === undefined ? parsePrefix(text) : { ...address, length: addressBits(address.family) };
}

/** One address without a length; the text itself when it is neither address nor prefix. */
export function canonicalAddressOrPrefix(text: string): string {
  const prefix = parseAddressOrPrefix(text);
  if (prefix === undefined) return text;
  return prefix.length === addressBits(prefix.family) ? formatAddress(prefix) : formatPrefix(prefix);
}

function hostBits(prefix: Prefix): bigint {
  return (1n << BigInt(addressBits(prefix.family) - prefix.length)) - 1n;
}

export function networkOf(prefix: Prefix): Prefix {
  return { ...prefix, value: prefix.value & ~hostBits(prefix) };
}

export function lastAddress(prefix: Prefix): Address {
  return { family: prefix.family, value: prefix.value | hostBits(prefix) };
}

export function containsAddress(prefix: Prefix, address: Address): boolean {
  return prefix.family === address.family && (address.value & ~hostBits(prefix)) === networkOf(prefix).value;
}

/** Network and broadcast address, which are no host's (RFC 1122 section 3.2.1.3); a /31 has neither (RFC 3021). */
export function isEdge(prefix: Prefix, address: Address): boolean {
  if (prefix.family === 6 || prefix.length >= 31) return false;
  return address.value === networkOf(prefix).value || address.value === lastAddress(prefix).value;
}

export function containsPrefix(outer: Prefix, inner: Prefix): boolean {
  return inner.length >= outer.length && containsAddress(outer, inner);
}

export function overlaps(left: Prefix, right: Prefix): boolean {
  return containsPrefix(left, right) || containsPrefix(right, left);
}

/** By family, then address, the wider one first: an outer prefix always stands before those inside it. */
export function comparePrefixes(left: Prefix, right: Prefix): number {
  return compareAddresses(left, right) || left.length - right.length;
}

/** Family of an address or prefix that has passed validation; a colon is in every IPv6 text and in no IPv4 text. */
export function familyOf(text: string): Family {
  return text.includes(":") ? 6 : 4;
}
