import type { ReceivedRoute } from "./received-route.js";
import { RouteIndex } from "./route-index.js";

/** A route that stands in {@link RoutesByTarget}. */
export interface PlacedRoute extends ReceivedRoute {
  /** Its position among the routes with the same route targets. */
  position: number;
}

interface Group {
  readonly routeTargets: readonly string[];
  readonly routes: PlacedRoute[];
}

/**
 * Routes by route target. Nearly all routes of a network carry the same list of them, so those with one list stand in one array, in
 * which each route knows its place: a set for each target took longer to fill than the routes took to decode.
 */
export class RoutesByTarget {
  /** By their route targets, joined. */
  readonly #groups = new Map<string, Group>();
  readonly #byTarget = new RouteIndex<Group>();

  add(route: PlacedRoute): void {
    const key = groupKey(route);
    const group = this.#groups.get(key);
    if (group !== undefined) {
      route.position = group.routes.length;
      group.routes.push(route);
      return;
    }
    const { routeTargets } = route.traits;
    const fresh = { routeTargets, routes: [route] };
    route.position = 0;
    this.#groups.set(key, fresh);
    for (const target of routeTargets) {
      this.#byTarget.add(target, fresh);
    }
  }

  /** @param route one that was added */
  remove(route: PlacedRoute): void {
    const key = groupKey(route);
    const group = this.#groups.get(key);
    const last = group?.routes.pop();
    if (group === undefined || last === undefined) {
      return;
    }
    if (last !== route) {
      group.routes[route.position] = last;
      last.position = route.position;
    }
    if (group.routes.length === 0) {
      this.#groups.delete(key);
      for (const target of group.routeTargets) {
        this.#byTarget.remove(target, group);
      }
    }
  }

  /** @param before one that was added */
  replace(before: PlacedRoute, after: PlacedRoute): void {
    const group = this.#groups.get(groupKey(before));
    if (group !== undefined && groupKey(before) === groupKey(after)) {
      group.routes[before.position] = after;
      after.position = before.position;
    } else {
      this.remove(before);
      this.add(after);
    }
  }

  /** Each route that carries at least one of the route targets, once. */
  at(routeTargets: readonly string[]): ReceivedRoute[] {
    const groups = new Set(routeTargets.flatMap((target) => [...this.#byTarget.at(target)]));
    return [...groups].flatMap(({ routes }) => routes);
  }

  /** Those that at least one route carries. */
  targets(): Iterable<string> {
    return this.#byTarget.keys();
  }
}

function groupKey({ traits }: ReceivedRoute): string {
  return traits.routeTargets.join(" ");
}
