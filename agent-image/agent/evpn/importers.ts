import type { SpeakerPlan } from "../../../model/index.js";
import type { RouteChange } from "../bgp/rib/adj-rib-in.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import type { PlannedSession } from "./session-plan.js";

/** The networks of one session that import a route target, by that target. */
export type Importers = ReadonlyMap<string, readonly string[]>;

/** By session. */
export function importersOf(
  sessions: ReadonlyMap<string, PlannedSession>,
  plans: ReadonlyMap<string, SpeakerPlan>,
): ReadonlyMap<string, Importers> {
  return new Map(
    [...sessions].map(([key, { networks }]) => {
      const byTarget = new Map<string, string[]>();
      for (const network of networks) {
        for (const target of new Set(plans.get(network)?.importRouteTargets)) {
          byTarget.set(target, [...(byTarget.get(target) ?? []), network]);
        }
      }
      return [key, byTarget] as const;
    }),
  );
}

/**
 * Hands the routes that have come and gone to the networks that import them. What leaves comes first: the new route may be of the
 * same network by another route target.
 */
export function distribute(
  changes: readonly RouteChange[],
  importers: Importers,
  hand: (change: "add" | "remove", network: string, route: ReceivedRoute) => void,
): void {
  const each = (change: "add" | "remove", route: ReceivedRoute | undefined): void => {
    for (const target of route?.traits.routeTargets ?? []) {
      for (const network of importers.get(target) ?? []) {
        if (route !== undefined) hand(change, network, route);
      }
    }
  };
  for (const { before, after } of changes) {
    each("remove", before);
    each("add", after);
  }
}
