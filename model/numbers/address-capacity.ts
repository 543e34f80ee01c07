import { addressBits, parseAddress } from "../address/address.js";
import { containsAddress, type Prefix, parsePrefix } from "../address/prefix.js";
import type { Routing } from "../configuration/configuration.js";

/**
 * Addresses that can be given to customers, in all subnets together. Not the gateway's, and not those that hosts on the
 * segment read in another way: network and broadcast address (RFC 1122 section 3.2.1.3), in IPv6 the subnet-router anycast
 * address (RFC 4291 section 2.6.1). Beyond 2^53, as in any IPv6 /64, the number is rounded.
 */
export function addressCapacity(routing: readonly Pick<Routing, "cidr" | "gateway">[]): number {
  return routing.reduce((sum, { cidr, gateway }) => {
    const prefix = parsePrefix(cidr);
    return prefix === undefined ? sum : sum + Number(usableAddresses(prefix, gateway));
  }, 0);
}

function usableAddresses(prefix: Prefix, gateway: string): bigint {
  const hostBits = addressBits(prefix.family) - prefix.length;
  // A link of two has neither network nor broadcast address (RFC 3021, RFC 6164).
  const reserved = hostBits < 2 ? 0n : prefix.family === 4 ? 2n : 1n;
  const address = parseAddress(gateway);
  const gateways = address !== undefined && containsAddress(prefix, address) ? 1n : 0n;
  return (1n << BigInt(hostBits)) - reserved - gateways;
}
