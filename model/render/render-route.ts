import type { RoutePlan } from "../node-plan/node-plan.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import type { Symbolic } from "./symbolic.js";

export function renderRoute(route: Symbolic<RoutePlan>): string {
  // A gateway must be nearer than the route that uses it: connected at scope link, default at global; IPv6 has no scope.
  const scope = route.gateway === undefined && route.family === 4 ? " scope link" : "";
  const via = route.gateway === undefined ? "" : ` via ${route.gateway}`;
  const onlink = route.onlink ? " onlink" : "";
  return (
    `ip -${route.family} route add ${route.destination}${via} dev ${route.device} table ${route.table} ` +
    `protocol ${routeProtocol}${scope}${onlink}`
  );
}
