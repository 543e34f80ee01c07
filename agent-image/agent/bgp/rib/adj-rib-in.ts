import type { EvpnRoute } from "../codec/evpn-nlri.js";
import type { UpdateMessage } from "../codec/update.js";
import { type ReceivedRoute, type RouteTraits, readTraits } from "./received-route.js";
import { type KeptRoute, routeKey } from "./route-key.js";
import { type PlacedRoute, RoutesByTarget } from "./routes-by-target.js";

/** Who we are, to recognise routes that came back to us. */
export interface LoopCheck {
  readonly localAsn: number;
  readonly internal: boolean;
  readonly routerId: string;
  /** How often our AS may stand in a path; absent: never. */
  readonly allowOwnAs?: number;
}

/** A route that came, went, or was replaced; of the same object as long as it is the same announcement. */
export interface RouteChange {
  readonly before: ReceivedRoute | undefined;
  readonly after: ReceivedRoute | undefined;
}

/**
 * All EVPN routes of one peer (RFC 4271 section 3.2). Routes that no network imports are kept too, so that a network
 * which is declared later finds its routes without asking the peer again.
 */
export class AdjRibIn {
  readonly #loopCheck: LoopCheck;
  readonly #routes = new Map<string, PlacedRoute>();
  readonly #byTarget = new RoutesByTarget();
  /** Keys of routes that are not taken because our AS is in their path. */
  readonly #withOwnAs = new Set<string>();
  /** Of the routes that are not stale, and of those that are. */
  #weight = 0;
  #staleWeight = 0;

  /** Keys of routes that the replay under way has brought. */
  #refreshed: Set<string> | undefined;

  constructor(loopCheck: LoopCheck) {
    this.#loopCheck = loopCheck;
  }

  get size(): number {
    return this.#routes.size;
  }

  /**
   * What the peer has sent in this session and takes memory: routes, by {@link weightOf}, and keys of those that are not taken. Routes
   * of the session before are not in it: the peer may send each of them again under another RD.
   */
  get held(): number {
    return this.#weight + this.#withOwnAs.size;
  }

  /** Of the session before, counted in the same way. */
  get heldStale(): number {
    return this.#staleWeight;
  }

  /** Route targets that at least one route carries. */
  get routeTargets(): Iterable<string> {
    return this.#byTarget.targets();
  }

  /** How many routes are not taken because our AS is in their path. */
  get withOwnAs(): number {
    return this.#withOwnAs.size;
  }

  apply(update: UpdateMessage): readonly RouteChange[] {
    const changes: RouteChange[] = [];
    for (const route of update.withdrawn) {
      this.#withdraw(route, changes);
    }
    const { nextHop } = update;
    if (update.announced.length === 0 || nextHop === undefined) {
      return changes;
    }
    const ownAs = hasOwnAs(update, this.#loopCheck);
    if (ownAs || isReflected(update, this.#loopCheck)) {
      // It replaces what the peer said before, with something that must not be used.
      for (const route of update.announced) {
        this.#withdraw(route, changes);
        if (ownAs && isKept(route)) {
          this.#withOwnAs.add(routeKey(route));
        }
      }
      return changes;
    }
    const traits = readTraits(update.attributes);
    for (const route of update.announced) {
      if (isKept(route)) {
        this.#put(routeKey(route), { route, nextHop, traits, stale: false }, changes);
      }
    }
    return changes;
  }

  /** The peer begins to send all that it has again (RFC 7313 section 4); what it sent before counts until the end. */
  beginRefresh(): void {
    // Not the many that are there, for a peer may say so thousands of times in a row.
    this.#refreshed = new Set();
  }

  /** What the peer has not sent again is gone (RFC 7313 section 4; FRRouting/frr#23432 kept it). */
  endRefresh(): readonly RouteChange[] {
    const changes: RouteChange[] = [];
    const refreshed = this.#refreshed;
    for (const key of refreshed === undefined ? [] : this.#routes.keys()) {
      if (refreshed?.has(key) === false) this.#remove(key, changes);
    }
    this.#refreshed = undefined;
    return changes;
  }

  /** The session is lost and the routes stay for a while. */
  markStale(): readonly RouteChange[] {
    this.#refreshed = undefined;
    this.#withOwnAs.clear();
    const changes: RouteChange[] = [];
    for (const [key, received] of this.#routes) {
      this.#put(key, { ...received, stale: true }, changes);
    }
    return changes;
  }

  /**
   * The restart time is over, and what has not come again stays as the least preferred (RFC 9494 section 4.2); what must not is
   * gone.
   */
  markLongLivedStale(): readonly RouteChange[] {
    const changes: RouteChange[] = [];
    // One object for all routes of an UPDATE, as it was before.
    const marked = new Map<RouteTraits, RouteTraits>();
    for (const [key, received] of this.#routes) {
      const { traits, stale } = received;
      if (stale && traits.notLongLived) {
        this.#remove(key, changes);
      } else if (stale) {
        const longLived = marked.get(traits) ?? { ...traits, longLivedStale: true };
        marked.set(traits, longLived);
        this.#put(key, { ...received, traits: longLived }, changes);
      }
    }
    return changes;
  }

  /** What the peer has not sent again is gone (RFC 4724 section 4.2). */
  removeStale(): readonly RouteChange[] {
    return this.#removeWhere(({ stale }) => stale);
  }

  clear(): readonly RouteChange[] {
    this.#withOwnAs.clear();
    return this.#removeWhere(() => true);
  }

  /** Each route that carries at least one of the route targets, once. */
  importedBy(routeTargets: readonly string[]): ReceivedRoute[] {
    return this.#byTarget.at(routeTargets);
  }

  #withdraw(route: EvpnRoute, changes: RouteChange[]): void {
    if (isKept(route)) {
      const key = routeKey(route);
      this.#withOwnAs.delete(key);
      this.#remove(key, changes);
    }
  }

  #put(key: string, received: ReceivedRoute, changes: RouteChange[]): void {
    this.#refreshed?.add(key);
    this.#withOwnAs.delete(key);
    const { route, nextHop, traits, stale } = received;
    const after = { route, nextHop, traits, stale, position: 0 };
    const before = this.#routes.get(key);
    if (before !== undefined) this.#weigh(before, -1);
    this.#weigh(after, 1);
    if (before === undefined) {
      this.#byTarget.add(after);
    } else {
      this.#byTarget.replace(before, after);
    }
    this.#routes.set(key, after);
    changes.push({ before, after });
  }

  #remove(key: string, changes: RouteChange[]): void {
    const before = this.#routes.get(key);
    if (before !== undefined) {
      this.#weigh(before, -1);
      this.#routes.delete(key);
      this.#byTarget.remove(before);
      changes.push({ before, after: undefined });
    }
  }

  #weigh(received: ReceivedRoute, sign: 1 | -1): void {
    if (received.stale) this.#staleWeight += sign * weightOf(received);
    else this.#weight += sign * weightOf(received);
  }

  #removeWhere(condition: (received: ReceivedRoute) => boolean): readonly RouteChange[] {
    const changes: RouteChange[] = [];
    for (const [key, received] of this.#routes) {
      if (condition(received)) {
        this.#remove(key, changes);
      }
    }
    return changes;
  }
}

/** Route targets that a route may have for each that is counted: an extended message has room for 8000, a megabyte here. */
const targetsOfOneRoute = 8;

function weightOf({ traits }: ReceivedRoute): number {
  return Math.max(1, Math.ceil(traits.routeTargets.length / targetsOfOneRoute));
}

function isKept(route: EvpnRoute): route is KeptRoute {
  return route.kind === "mac-ip" || route.kind === "inclusive-multicast";
}

/** RFC 4456 section 8: reflected back to us. */
function isReflected({ attributes }: UpdateMessage, { routerId }: LoopCheck): boolean {
  return attributes.originatorId === routerId;
}

/** RFC 4271 section 9.1.2: from an external peer, and more often than is allowed. */
function hasOwnAs({ attributes }: UpdateMessage, { localAsn, internal, allowOwnAs = 0 }: LoopCheck): boolean {
  if (internal) {
    return false;
  }
  const own = (attributes.asPath ?? []).flatMap(({ asns }) => asns).filter((asn) => asn === localAsn);
  return own.length > allowOwnAs;
}
