import { isIPv6 } from "node:net";
import { tcpMd5Signature } from "./tcp-md5-signature.js";
import { highestTtl, lowestTtl } from "./ttl-security.js";

/** One setsockopt(2). */
export interface SocketOption {
  /** For people. */
  readonly name: string;
  readonly level: number;
  readonly option: number;
  readonly value: Buffer;
}

/** linux/in.h, linux/in6.h and linux/tcp.h */
const levelIp = 0;
const levelTcp = 6;
const levelIpv6 = 41;
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
  const [send, accept] = [nativeInteger(highestTtl), nativeInteger(lowestTtl(hops))];
  return ipv6
    ? [
        { name: "IPV6_UNICAST_HOPS", level: levelIpv6, option: ipv6UnicastHops, value: send },
        { name: "IPV6_MINHOPCOUNT", level: levelIpv6, option: ipv6MinimumHopCount, value: accept },
      ]
    : [
        { name: "IP_TTL", level: levelIp, option: ipTtl, value: send },
        { name: "IP_MINTTL", level: levelIp, option: ipMinimumTtl, value: accept },
      ];
}

/** A C int on the platforms that the image is built for, which are little-endian. */
function nativeInteger(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
