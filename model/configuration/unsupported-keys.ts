/** A key that the design has and nothing carries out yet: accepted in silence, it would promise what does not happen. */
export interface UnsupportedKey {
  /** Continues the key as a sentence. */
  readonly message: string;
  readonly remedy: string;
}

const password: UnsupportedKey = {
  message: "is not supported yet: BGP sessions are not authenticated (RFC 2385)",
  remedy: "remove it, and let the peers accept this session without a password",
};

const unsupported: Readonly<Record<string, UnsupportedKey>> = {
  "vxlan.bgp.password": password,
  "vxlan.bgp.passwordFile": password,
  "vxlan.bgp.passwordSecretRef": password,
  "vxlan.bgp.ttlSecurity": {
    message: "is not supported yet (RFC 5082)",
    remedy: "remove it here, and ttl-security on the peers",
  },
};

/** By place in the normal form without list positions, such as `vxlan.bgp.password`. */
export function unsupportedKey(place: string): UnsupportedKey | undefined {
  return Object.hasOwn(unsupported, place) ? unsupported[place] : undefined;
}
