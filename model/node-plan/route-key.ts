import type { RoutePlan } from "./node-plan.js";

/** What the kernel tells routes apart by (at equal metric): a route with this key is replaced, not added beside. */
export function routeKey(route: Pick<RoutePlan, "family" | "table" | "destination">): string {
  return `${route.family} ${route.table} ${route.destination}`;
}
