import { isIPv6 } from "node:net";
import { addressToBytes } from "../codec/ip-address.js";
import { addressFamilyOf } from "./address-family.js";

/** struct sockaddr_in and sockaddr_in6 of linux/in.h and linux/in6.h */
const lengths = { ipv4: 16, ipv6: 28 };
const portOffset = 2;
const addressOffsets = { ipv4: 4, ipv6: 8 };

/** An address and a port as the kernel takes them; port 0 is any. */
export function socketAddress(address: string, port: number): Buffer {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  const structure = Buffer.alloc(lengths[family]);
  structure.writeUInt16LE(addressFamilyOf(address));
  structure.writeUInt16BE(port, portOffset);
  structure.set(addressToBytes(address), addressOffsets[family]);
  return structure;
}
