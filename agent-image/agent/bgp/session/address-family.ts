import { isIPv6 } from "node:net";

/** linux/socket.h */
const ipv4 = 2;
const ipv6 = 10;

/** AF_INET or AF_INET6, as socket(2) and struct sockaddr have it. */
export function addressFamilyOf(address: string): number {
  return isIPv6(address) ? ipv6 : ipv4;
}
