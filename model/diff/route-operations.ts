import type { PlanCondition, RoutePlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { renderRoute } from "../render/render-route.js";
import type { ObservedRoute } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";

export interface RouteOperations {
  readonly operations: readonly Operation[];
  readonly conflicts: readonly PlanCondition[];
}

export type RoutesByKey = ReadonlyMap<string, readonly ObservedRoute[]>;

/**
 * What brings the routes of one network in. `held` is what the kernel has, by {@link routeKey}; routes by the devices `lost` are
 * not there any more at that moment.
 */
export function routeOperations(
  plan: readonly RoutePlan[],
  held: RoutesByKey,
  lost: ReadonlySet<string>,
): RouteOperations {
  const operations: Operation[] = [];
  const conflicts: PlanCondition[] = [];
  for (const route of plan) {
    const sameKey = (held.get(routeKey(route)) ?? []).filter(({ device }) => device === undefined || !lost.has(device));
    const foreign = sameKey.find(({ protocol }) => protocol !== routeProtocol);
    const own = sameKey.filter(({ protocol }) => protocol === routeProtocol);
    // `replace` would overwrite whoever's route has the same destination.
    if (foreign !== undefined) conflicts.push(foreignRoute(foreign));
    else if (own.length === 0) operations.push(ip(renderRoute(route)));
    else if (!own.some((candidate) => isSameRoute(route, candidate))) {
      operations.push(ip(renderRoute(route).replace(" route add ", " route replace ")));
    }
  }
  return { operations, conflicts };
}

export function deleteRoute(route: ObservedRoute): Operation {
  const { family, destination, table } = route;
  return ip(`ip -${family} route del ${destination} table ${table} protocol ${routeProtocol}`);
}

function isSameRoute(plan: RoutePlan, observed: ObservedRoute): boolean {
  return (
    observed.plain &&
    observed.device === plan.device &&
    observed.gateway === plan.gateway &&
    observed.onlink === plan.onlink
  );
}

export function foreignRoute(foreign: ObservedRoute): PlanCondition {
  const where = [
    ...(foreign.gateway === undefined ? [] : [`via ${foreign.gateway}`]),
    ...(foreign.device === undefined ? [] : [`dev ${foreign.device}`]),
  ].join(" ");
  return {
    reason: "ForeignRoute",
    message:
      `table ${foreign.table} holds another program's route ${foreign.destination} ${where} (protocol ${foreign.protocol}); ` +
      `remove it or set routing.table`,
  };
}
