import { vxlanTunnelType } from "../codec/extended-community.js";
import type { PathAttributes } from "../codec/path-attributes.js";
import type { KeptRoute } from "./route-key.js";

/** A route as a peer sent it. */
export interface ReceivedRoute {
  readonly route: KeptRoute;
  /** The VTEP behind which the host of a MAC/IP route sits. */
  readonly nextHop: string;
  readonly traits: RouteTraits;
  /** Kept although its session is lost (RFC 4724 section 4.2): a guess, until the peer sends it again. */
  readonly stale: boolean;
}

/** Somebody stands for it now: it is kept neither by us nor by a router on the way for want of something better. */
export function isLive({ stale, traits }: ReceivedRoute): boolean {
  return !stale && !traits.longLivedStale;
}

/** What the path attributes mean for EVPN; one object for all routes of an UPDATE. */
export interface RouteTraits {
  readonly routeTargets: readonly string[];
  /**
   * Tunnel types of the encapsulation communities, or the one that counts here; none: what the receiver is configured for (RFC 8365
   * section 5.1.3).
   */
  readonly tunnelTypes: readonly number[];
  /** MAC mobility (RFC 7432 section 7.7); absent is 0 (section 15). */
  readonly sequence: number;
  readonly sticky: boolean;
  /** LLGR_STALE: kept long after its session, by us or by a router on the way; the least preferred (RFC 9494 section 4.3). */
  readonly longLivedStale: boolean;
  /** NO_LLGR: not to be kept longer than the restart time (RFC 9494 section 4.3). */
  readonly notLongLived: boolean;
  /** Where to send flooded frames; only of Type-3 routes with ingress replication. */
  readonly flood: { readonly label: number; readonly endpoint: string } | undefined;
}

/** RFC 9494 section 5. */
const longLivedStaleCommunity = "65535:6";
const notLongLivedCommunity = "65535:7";

export function readTraits({ extendedCommunities = [], communities = [], pmsiTunnel }: PathAttributes): RouteTraits {
  const routeTargets: string[] = [];
  let tunnelTypes: readonly number[] = [];
  let sequence = 0;
  let sticky = false;
  for (const community of extendedCommunities) {
    if (community.kind === "route-target") {
      routeTargets.push(community.value);
    } else if (community.kind === "encapsulation") {
      // One of them: an extended message has room for 8000.
      if (!tunnelTypes.includes(vxlanTunnelType)) tunnelTypes = [community.tunnelType];
    } else if (community.kind === "mac-mobility") {
      sequence = Math.max(sequence, community.sequence);
      sticky ||= community.sticky;
    }
  }
  const endpoint = pmsiTunnel?.endpoint;
  const flood = pmsiTunnel === undefined || endpoint === undefined ? undefined : { label: pmsiTunnel.label, endpoint };
  const longLivedStale = communities.includes(longLivedStaleCommunity);
  const notLongLived = communities.includes(notLongLivedCommunity);
  return { routeTargets, tunnelTypes, sequence, sticky, longLivedStale, notLongLived, flood };
}
