import { networkInterfaces } from "node:os";
import { parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/index.js";

/** Over one link (RFC 5881), or through routers (RFC 5883). */
export type Hop = "single" | "multi";

/** @param prefixes of the addresses on interfaces, such as `10.0.7.11/24` */
export function hopTo(peer: string, prefixes: readonly string[]): Hop {
  const address = parseAddress(peer);
  const isConnected = prefixes.some((text) => {
    const prefix = parsePrefix(text);
    return address !== undefined && prefix !== undefined && containsAddress(prefix, address);
  });
  return isConnected ? "single" : "multi";
}

/** Of the interfaces that are up and have a carrier. */
export function connectedPrefixes(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.flatMap(({ cidr }) => cidr ?? []));
}
