/** From so many routes of a key on they stand in a set: a MAC may have a thousand addresses. */
const many = 8;

/**
 * Routes by one of their properties, such as the MAC. Most keys have one route, which then stands there by itself, or two (FRR
 * announces a MAC with and without its address): a hundred thousand sets take more memory than all the rest of the index.
 */
export class RouteIndex<Route extends object> {
  readonly #routes = new Map<string, Route | Route[] | Set<Route>>();

  get size(): number {
    return this.#routes.size;
  }

  keys(): Iterable<string> {
    return this.#routes.keys();
  }

  has(key: string): boolean {
    return this.#routes.has(key);
  }

  at(key: string): Iterable<Route> {
    const held = this.#routes.get(key);
    if (held === undefined) {
      return [];
    }
    return held instanceof Set || Array.isArray(held) ? held : [held];
  }

  /** A route that is there already is not added twice. */
  add(key: string, route: Route): void {
    const held = this.#routes.get(key);
    if (held === undefined) {
      this.#routes.set(key, route);
    } else if (held instanceof Set) {
      held.add(route);
    } else if (!Array.isArray(held)) {
      if (held !== route) {
        this.#routes.set(key, [held, route]);
      }
    } else if (!held.includes(route)) {
      held.push(route);
      if (held.length >= many) {
        this.#routes.set(key, new Set(held));
      }
    }
  }

  /** A route that is not there changes nothing. */
  remove(key: string, route: Route): void {
    const held = this.#routes.get(key);
    if (held instanceof Set) {
      if (held.delete(route) && held.size < many) {
        this.#routes.set(key, [...held]);
      }
    } else if (Array.isArray(held)) {
      const others = held.filter((other) => other !== route);
      this.#routes.set(key, others.length === 1 && others[0] !== undefined ? others[0] : others);
    } else if (held === route) {
      this.#routes.delete(key);
    }
  }
}
