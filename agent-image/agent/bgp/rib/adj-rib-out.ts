import type { EvpnRoute } from "../codec/evpn-nlri.js";
import type { Announcement } from "../codec/update.js";
import { type KeptRoute, routeKey } from "./route-key.js";

/** A route of our own with the attributes that it is announced with. */
export interface OriginatedRoute {
  readonly route: KeptRoute;
  readonly announcement: Announcement;
}

/** What must be sent so that the peer holds what we want it to hold. */
export interface RouteChanges {
  readonly withdrawn: readonly EvpnRoute[];
  readonly announced: readonly AnnouncedGroup[];
}

/** Routes with equal attributes share messages. */
export interface AnnouncedGroup {
  readonly announcement: Announcement;
  readonly routes: readonly EvpnRoute[];
}

/** Routes by key, as a peer was last told. */
export type AdjRibOut = ReadonlyMap<string, OriginatedRoute>;

export function adjRibOut(routes: readonly OriginatedRoute[]): AdjRibOut {
  return new Map(routes.map((originated) => [routeKey(originated.route), originated]));
}

/** The smallest change from `sent` to `wanted`: a route with new attributes is announced again, not withdrawn first. */
export function routeChanges(sent: AdjRibOut, wanted: AdjRibOut): RouteChanges {
  const withdrawn = [...sent].filter(([key]) => !wanted.has(key)).map(([, { route }]) => route);
  const groups = new Map<string, { announcement: Announcement; routes: EvpnRoute[] }>();
  for (const [key, originated] of wanted) {
    const previous = sent.get(key);
    if (previous !== undefined && JSON.stringify(previous) === JSON.stringify(originated)) {
      continue;
    }
    const { route, announcement } = originated;
    const groupKey = JSON.stringify(announcement);
    const group = groups.get(groupKey);
    if (group === undefined) {
      groups.set(groupKey, { announcement, routes: [route] });
    } else {
      group.routes.push(route);
    }
  }
  return { withdrawn, announced: [...groups.values()] };
}
