import { canonicalAddress } from "./address.js";

/** The link-local address that an interface makes of its MAC: ff:fe in the middle, and the universal/local bit inverted (RFC 4291 appendix A). */
export function linkLocalAddress(mac: string): string {
  const [first = "", second, third, fourth, fifth, sixth] = mac.split(":");
  const inverted = (Number.parseInt(first, 16) ^ 2).toString(16);
  return canonicalAddress(`fe80::${inverted}${second}:${third}ff:fe${fourth}:${fifth}${sixth}`);
}
