import { asnRange } from "../numbers/limits.js";

/** What to write, as the end of a sentence. */
export const asnForms = `a whole number from ${asnRange.minimum} to ${asnRange.maximum}, or asdot in quotes such as "64512.1"`;

/**
 * AS numbers as people write them: an integer, its digits as text, or asdot (RFC 5396) as text. An unquoted `1.10` is a
 * floating-point number in YAML and has lost its last digit before anybody can read it, so it stays what it is and
 * fails. Other values come back unchanged.
 */
export function normaliseAsn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (/^\d{1,10}$/.test(value)) return Number(value);
  const [, high, low] = /^(\d{1,5})\.(\d{1,5})$/.exec(value) ?? [];
  if (high === undefined || low === undefined || Number(high) > 65_535 || Number(low) > 65_535) return value;
  return Number(high) * 65_536 + Number(low);
}

/** Why the number must not be used, or undefined. */
export function reservedAsn(asn: number): string | undefined {
  if (asn === 23_456) return "stands for four-byte numbers in old messages (AS_TRANS, RFC 6793)";
  if (asn === 0 || asn === 65_535 || asn === asnRange.maximum + 1) return "is reserved (RFC 7607, RFC 7300)";
  return undefined;
}
