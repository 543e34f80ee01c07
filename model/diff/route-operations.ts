import type { PlanCondition, RoutePlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { routeProtocol } from "../ownership/route-protocol.js";
import { renderRoute } from "../render/render-route.js";
import { shellWord } from "../render/shell-word.js";
import type { ObservedRoute } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";

export interface RouteOperations {
  readonly operations: readonly Operation[];
  /** Routes with our protocol that stand beside one of the plan: the kernel keeps one for each metric and TOS, and appended ones. */
  readonly surplus: readonly Operation[];
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
  const surplus: Operation[] = [];
  const conflicts: PlanCondition[] = [];
  for (const route of plan) {
    const sameKey = (held.get(routeKey(route)) ?? []).filter(({ device }) => device === undefined || !lost.has(device));
    const foreign = sameKey.find(({ protocol }) => protocol !== routeProtocol);
    const own = sameKey.filter(({ protocol }) => protocol === routeProtocol);
    // `replace` would overwrite whoever's route has the same destination.
    if (foreign !== undefined) conflicts.push(foreignRoute(foreign));
    else {
      const kept = own.find((candidate) => isSameRoute(route, candidate));
      // `replace` takes the place of the first of them, and takes no other's.
      const [replaced] = own.filter(({ apart }) => !apart);
      if (kept === undefined) {
        const command = renderRoute(route);
        operations.push(ip(replaced === undefined ? command : command.replace(" route add ", " route replace ")));
      }
      surplus.push(...own.filter((other) => other !== (kept ?? replaced)).map(deleteBeside));
    }
  }
  return { operations, surplus, conflicts };
}

export function deleteRoute(route: ObservedRoute): Operation {
  return deleteByWords(route, route.words ?? route.destination);
}

/** Names next hop and interface too, as another plain route has the same destination. */
function deleteBeside(route: ObservedRoute): Operation {
  const { words, destination, gateway, device } = route;
  const via = gateway === undefined ? "" : ` via ${gateway}`;
  const dev = device === undefined ? "" : ` dev ${shellWord(device)}`;
  return deleteByWords(route, words ?? `${destination}${via}${dev}`);
}

function deleteByWords({ family, table }: ObservedRoute, words: string): Operation {
  return ip(`ip -${family} route del ${words} table ${table} protocol ${routeProtocol}`);
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
