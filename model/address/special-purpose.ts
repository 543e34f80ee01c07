import { type Address, addressBits } from "./address.js";
import { containsAddress, lastAddress, networkOf, type Prefix, parsePrefix } from "./prefix.js";

const linkLocal = { "169.254.0.0/16": "link-local, RFC 3927", "fe80::/10": "link-local, RFC 4291" } as const;

/**
 * Ranges without addresses of hosts that others reach through a router: of IANA's special-purpose address registries
 * (RFC 6890) those which are not source, destination and forwardable at once, multicast, and the range whose packets are
 * dropped. Ranges for documentation are left out: people try a configuration with them, and no kernel treats them apart. So
 * are private, shared and benchmarking ones (RFC 2544), which are reached wherever somebody routes them, and 2001::/23, of
 * which each part has rules of its own.
 */
const titles: Readonly<Record<string, string>> = {
  "0.0.0.0/8": "this network, RFC 791",
  "127.0.0.0/8": "loopback, RFC 1122",
  "192.0.0.0/24": "IETF protocol assignments, RFC 6890",
  "224.0.0.0/4": "multicast, RFC 5771",
  "240.0.0.0/4": "reserved, RFC 1112",
  "::1/128": "loopback, RFC 4291",
  "::/96": "unspecified and IPv4-compatible, RFC 4291",
  "100::/64": "discard-only, RFC 6666",
  "100:0:0:1::/64": "dummy prefix, RFC 9780",
  "fe00::/9": "reserved, RFC 4291",
  "ff00::/8": "multicast, RFC 4291",
  ...linkLocal,
};

/** RFC 4291 section 2.5.5.2: IPv4 in the socket interface, never on the wire. Built by hand, as no text of it is an address to us. */
const ipv4Mapped: Prefix = { family: 6, value: 0xffffn << 32n, length: 96 };

const ranges = [
  ...Object.entries(titles).map(([text, title]) => ({ prefix: rangeOf(text), title: `${text} (${title})` })),
  { prefix: ipv4Mapped, title: "::ffff:0:0/96 (IPv4-mapped, RFC 4291)" },
].map(({ prefix, title }) => ({
  family: prefix.family,
  first: networkOf(prefix).value,
  last: lastAddress(prefix).value,
  title,
}));
const linkLocalRanges = Object.keys(linkLocal).map(rangeOf);

function rangeOf(text: string): Prefix {
  const prefix = parsePrefix(text);
  if (prefix === undefined) throw new Error(`${text} is not a prefix`);
  return prefix;
}

/** The range without hosts that the prefix meets, around it or anywhere inside, as `127.0.0.0/8 (loopback, RFC 1122)`. */
export function specialRangeIn(prefix: Prefix): string | undefined {
  const { family, value: first } = networkOf(prefix);
  const { value: last } = lastAddress(prefix);
  return ranges.find((range) => range.family === family && range.first <= last && first <= range.last)?.title;
}

/** The range without hosts in which the address lies. */
export function specialRangeOf(address: Address): string | undefined {
  return specialRangeIn({ ...address, length: addressBits(address.family) });
}

export function isLinkLocal(address: Address): boolean {
  return linkLocalRanges.some((range) => containsAddress(range, address));
}

/** Undefined also for a prefix that cannot be one of hosts: what it overlaps is no mistake of its own. */
export function parseHostPrefix(text: string): Prefix | undefined {
  const prefix = parsePrefix(text);
  return prefix === undefined || specialRangeIn(prefix) !== undefined ? undefined : prefix;
}
