/**
 * Routes by one of their properties, such as the MAC. Most keys have one route, which then stands there without a set around
 * it: a hundred thousand sets take more memory than all the rest of the index.
 */
export class RouteIndex<Route extends object> {
  readonly #routes = new Map<string, Route | Set<Route>>();

  get size(): number {
    return this.#routes.size;
  }

  keys(): Iterable<string> {
    return this.#routes.keys();
  }

  at(key: string): Iterable<Route> {
    const held = this.#routes.get(key);
    return held === undefined ? [] : held instanceof Set ? held : [held];
  }

  /** A route that is there already is not added twice. */
  add(key: string, route: Route): void {
    const held = this.#routes.get(key);
    if (held === undefined) {
      this.#routes.set(key, route);
    } else if (held instanceof Set) {
      held.add(route);
    } else if (held !== route) {
      this.#routes.set(key, new Set([held, route]));
    }
  }

  /** A route that is not there changes nothing. */
  remove(key: string, route: Route): void {
    const held = this.#routes.get(key);
    if (held === route) {
      this.#routes.delete(key);
    } else if (held instanceof Set && held.delete(route) && held.size === 1) {
      const [last] = held;
      if (last !== undefined) {
        this.#routes.set(key, last);
      }
    }
  }
}
