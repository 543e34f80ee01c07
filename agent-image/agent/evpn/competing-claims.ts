import { isLive } from "../bgp/rib/received-route.js";
import type { NetworkRib } from "./network-rib.js";
import type { HostRoute } from "./usable-routes.js";

/** Who we are in a network. */
export interface OwnHost {
  readonly vtep: string;
  readonly mac: string;
}

/**
 * What others claim of our addresses, as far as it still stands. A claim with our own MAC is none of them: it says that somebody
 * has our identity, and numbers above each other would go on for ever without a way out.
 */
export function competingClaims(
  rib: Pick<NetworkRib, "claimsOf">,
  addresses: readonly string[],
  { vtep, mac }: OwnHost,
): readonly HostRoute[] {
  return addresses
    .flatMap((address) => [...rib.claimsOf(address)])
    .filter((claim) => claim.nextHop !== vtep && claim.route.mac !== mac && isLive(claim));
}

/** RFC 7432 section 15.2: no number is above a sticky claim, so ours is not raised against one. */
export function movableClaims(claims: readonly HostRoute[]): readonly HostRoute[] {
  return claims.filter(({ traits }) => !traits.sticky);
}
