import { isIPv6 } from "node:net";
import { nativeInteger, type SocketOption } from "../../system/socket-calls.js";
import { tcpMd5Signature } from "./tcp-md5-signature.js";
import { highestTtl, lowestTtl } from "./ttl-security.js";

/** linux/in.h, linux/in6.h and linux/tcp.h */
export const levelIp = 0;
const levelTcp = 6;
export const levelIpv6 = 41;
const ipTtl = 2;
const ipMinimumTtl = 21;
const ipv6UnicastHops = 16;
const ipv6MinimumHopCount = 73;
const tcpMd5 = 14;

/** What a socket to a peer needs before it connects. @throws RangeError see {@link tcpMd5Signature} */
export function protectingOptions(
  peer: string,
  { password, ttlSecurity }: { readonly password?: Buffer | undefined; readonly ttlSecurity?: number | undefined },
): readonly SocketOption[] {
  return [
    ...(password === undefined
      ? []
      : [{ name: "TCP_MD5SIG", level: levelTcp, option: tcpMd5, value: tcpMd5Signature(peer, password) }]),
    ...(ttlSecurity === undefined ? [] : ttlOptions(isIPv6(peer), ttlSecurity)),
  ];
}

function ttlOptions(ipv6: boolean, hops: number): readonly SocketOption[] {
  const value = nativeInteger(lowestTtl(hops));
  return [
    sentTtl(ipv6),
    ipv6
      ? { name: "IPV6_MINHOPCOUNT", level: levelIpv6, option: ipv6MinimumHopCount, value }
      : { name: "IP_MINTTL", level: levelIp, option: ipMinimumTtl, value },
  ];
}

/** Packets leave with the highest TTL, so that the other end can tell how far they came. */
export function sentTtl(ipv6: boolean): SocketOption {
  const value = nativeInteger(highestTtl);
  return ipv6
    ? { name: "IPV6_UNICAST_HOPS", level: levelIpv6, option: ipv6UnicastHops, value }
    : { name: "IP_TTL", level: levelIp, option: ipTtl, value };
}
