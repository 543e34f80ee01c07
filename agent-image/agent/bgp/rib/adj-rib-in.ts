import type { EvpnRoute } from "../codec/evpn-nlri.js";
import type { UpdateMessage } from "../codec/update.js";
import { type ReceivedRoute, readTraits } from "./received-route.js";
import { type KeptRoute, routeKey } from "./route-key.js";

/** Who we are, to recognise routes that came back to us. */
export interface LoopCheck {
  readonly localAsn: number;
  readonly internal: boolean;
  readonly routerId: string;
}

/** Route targets of the networks that a change concerns. */
export type TouchedTargets = ReadonlySet<string>;

/**
 * All EVPN routes of one peer (RFC 4271 section 3.2). Routes that no network imports are kept too, so that a network
 * which is declared later finds its routes without asking the peer again.
 */
export class AdjRibIn {
  readonly #loopCheck: LoopCheck;
  readonly #routes = new Map<string, ReceivedRoute>();
  readonly #byTarget = new Map<string, Map<string, ReceivedRoute>>();
  /** Keys of routes that are not taken because our AS is in their path. */
  readonly #withOwnAs = new Set<string>();

  /** Keys of routes that a replay has not brought yet. */
  #unrefreshed: Set<string> | undefined;

  constructor(loopCheck: LoopCheck) {
    this.#loopCheck = loopCheck;
  }

  get size(): number {
    return this.#routes.size;
  }

  /** All that takes memory: routes, and keys of those that are not taken. */
  get held(): number {
    return this.#routes.size + this.#withOwnAs.size;
  }

  /** Route targets that at least one route carries. */
  get routeTargets(): Iterable<string> {
    return this.#byTarget.keys();
  }

  /** How many routes are not taken because our AS is in their path. */
  get withOwnAs(): number {
    return this.#withOwnAs.size;
  }

  apply(update: UpdateMessage): TouchedTargets {
    const touched = new Set<string>();
    for (const route of update.withdrawn) {
      this.#withdraw(route, touched);
    }
    const { nextHop } = update;
    if (update.announced.length === 0 || nextHop === undefined) {
      return touched;
    }
    const ownAs = hasOwnAs(update, this.#loopCheck);
    if (ownAs || isReflected(update, this.#loopCheck)) {
      // It replaces what the peer said before, with something that must not be used.
      for (const route of update.announced) {
        this.#withdraw(route, touched);
        if (ownAs && isKept(route)) {
          this.#withOwnAs.add(routeKey(route));
        }
      }
      return touched;
    }
    const traits = readTraits(update.attributes);
    for (const route of update.announced) {
      if (isKept(route)) {
        this.#put(routeKey(route), { route, nextHop, traits, stale: false }, touched);
      }
    }
    return touched;
  }

  /** The peer begins to send all that it has again (RFC 7313 section 4); what it sent before counts until the end. */
  beginRefresh(): void {
    this.#unrefreshed = new Set(this.#routes.keys());
  }

  /** What the peer has not sent again is gone (RFC 7313 section 4; FRRouting/frr#23432 kept it). */
  endRefresh(): TouchedTargets {
    const touched = new Set<string>();
    for (const key of this.#unrefreshed ?? []) {
      this.#remove(key, touched);
    }
    this.#unrefreshed = undefined;
    return touched;
  }

  /** The session is lost and the routes stay for a while. */
  markStale(): TouchedTargets {
    this.#unrefreshed = undefined;
    this.#withOwnAs.clear();
    const touched = new Set<string>();
    // A copy: putting a route back moves it to the end of the map, where the loop would meet it again.
    for (const [key, received] of [...this.#routes]) {
      this.#put(key, { ...received, stale: true }, touched);
    }
    return touched;
  }

  /** What the peer has not sent again is gone (RFC 4724 section 4.2). */
  removeStale(): TouchedTargets {
    return this.#removeWhere(({ stale }) => stale);
  }

  clear(): TouchedTargets {
    this.#withOwnAs.clear();
    return this.#removeWhere(() => true);
  }

  /** Each route that carries at least one of the route targets, once. */
  importedBy(routeTargets: readonly string[]): ReceivedRoute[] {
    const [first, ...others] = routeTargets;
    if (first !== undefined && others.length === 0) {
      return [...(this.#byTarget.get(first)?.values() ?? [])];
    }
    return [...new Set(routeTargets.flatMap((target) => [...(this.#byTarget.get(target)?.values() ?? [])]))];
  }

  #withdraw(route: EvpnRoute, touched: Set<string>): void {
    if (isKept(route)) {
      const key = routeKey(route);
      this.#withOwnAs.delete(key);
      this.#remove(key, touched);
    }
  }

  #put(key: string, received: ReceivedRoute, touched: Set<string>): void {
    this.#unrefreshed?.delete(key);
    this.#withOwnAs.delete(key);
    this.#remove(key, touched);
    this.#routes.set(key, received);
    for (const target of received.traits.routeTargets) {
      touched.add(target);
      const routes = this.#byTarget.get(target);
      if (routes === undefined) {
        this.#byTarget.set(target, new Map([[key, received]]));
      } else {
        routes.set(key, received);
      }
    }
  }

  #remove(key: string, touched: Set<string>): void {
    const received = this.#routes.get(key);
    if (received === undefined) {
      return;
    }
    this.#routes.delete(key);
    for (const target of received.traits.routeTargets) {
      touched.add(target);
      const routes = this.#byTarget.get(target);
      routes?.delete(key);
      if (routes?.size === 0) {
        this.#byTarget.delete(target);
      }
    }
  }

  #removeWhere(condition: (received: ReceivedRoute) => boolean): TouchedTargets {
    const touched = new Set<string>();
    for (const [key, received] of this.#routes) {
      if (condition(received)) {
        this.#remove(key, touched);
      }
    }
    return touched;
  }
}

function isKept(route: EvpnRoute): route is KeptRoute {
  return route.kind === "mac-ip" || route.kind === "inclusive-multicast";
}

/** RFC 4456 section 8: reflected back to us. */
function isReflected({ attributes }: UpdateMessage, { routerId }: LoopCheck): boolean {
  return attributes.originatorId === routerId;
}

/** RFC 4271 section 9.1.2: from an external peer. */
function hasOwnAs({ attributes }: UpdateMessage, { localAsn, internal }: LoopCheck): boolean {
  return !internal && (attributes.asPath ?? []).some(({ asns }) => asns.includes(localAsn));
}
