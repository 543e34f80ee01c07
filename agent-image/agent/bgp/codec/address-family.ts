/** The one address family of this speaker: L2VPN EVPN (RFC 7432 section 7; IANA AFI 25, SAFI 70). */
export const evpnFamily = { afi: 25, safi: 70 } as const;

export interface AddressFamily {
  readonly afi: number;
  readonly safi: number;
}

export function isEvpn(family: AddressFamily): boolean {
  return family.afi === evpnFamily.afi && family.safi === evpnFamily.safi;
}

/** AFI (2 bytes) and SAFI (1 byte) as path attributes 14 and 15 carry them (RFC 4760 sections 3 and 4). */
export const evpnFamilyBytes: Buffer = Buffer.from([0, evpnFamily.afi, evpnFamily.safi]);
