import { addressBits, parseAddress } from "../address/address.js";
import { type AddressRange, rangeSize } from "../address/address-range.js";
import { containsAddress, lastAddress, networkOf, parsePrefix } from "../address/prefix.js";
import type { Routing } from "../configuration/configuration.js";

type Subnet = Pick<Routing, "cidr" | "gateway">;

/** A link of two has neither network nor broadcast address (RFC 3021, RFC 6164). */
const smallestWithReserved = 2n;

/**
 * Addresses of a subnet that can be given to customers. Not the gateway's, and not those that hosts on the segment read in
 * another way: network and broadcast address (RFC 1122 section 3.2.1.3), in IPv6 the subnet-router anycast address
 * (RFC 4291 section 2.6.1).
 */
export function assignableRanges({ cidr, gateway }: Subnet): readonly AddressRange[] {
  const prefix = parsePrefix(cidr);
  if (prefix === undefined) return [];
  const { family } = prefix;
  const reserves = BigInt(addressBits(family) - prefix.length) >= smallestWithReserved;
  const hosts: AddressRange = {
    family,
    first: networkOf(prefix).value + (reserves ? 1n : 0n),
    last: lastAddress(prefix).value - (reserves && family === 4 ? 1n : 0n),
  };
  const address = parseAddress(gateway);
  return address !== undefined && containsAddress(prefix, address) ? without(hosts, address.value) : [hosts];
}

export function without(range: AddressRange, value: bigint): readonly AddressRange[] {
  if (value < range.first || value > range.last) return [range];
  return [
    { ...range, last: value - 1n },
    { ...range, first: value + 1n },
  ].filter((part) => rangeSize(part) > 0n);
}
