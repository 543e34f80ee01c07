import type { ForwardingPlan } from "../../../model/index.js";
import { compareTexts } from "../../../model/node-plan/compare.js";
import { defaultMacLimit } from "../../../model/numbers/limits.js";
import { compareClaims } from "../bgp/rib/mac-mobility.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import { RouteIndex } from "../bgp/rib/route-index.js";
import { type Fill, judgeFill } from "../bgp/rib/route-limit.js";
import type { ForwardingChanges, ForwardingState } from "./forwarding-state.js";
import { floodEndpoint, type HostRoute, isHostRoute, isUsableHost, type OwnPart } from "./usable-routes.js";

/** What was selected of that which has come or gone since. */
interface Touched {
  /** VTEP by MAC; undefined: none was. */
  readonly hosts: Map<string, string | undefined>;
  /** By VTEP: whether it got flooded frames. */
  readonly flood: Map<string, boolean>;
}

/** A MAC moved from one VTEP of others to another. */
export type MoveListener = (mac: string, from: string, to: string) => void;

/**
 * The routes that one network imports from all its peers. A change costs a look at the routes of its MAC alone, so a host that
 * moves among a hundred thousand costs as much as one among ten (osrg/gobgp#2750 was quadratic). What is selected follows
 * from the routes that are present each time; only what was selected of a MAC that is touched is remembered, until it is taken.
 */
export class NetworkRib {
  readonly #own: OwnPart;
  readonly #onMove: MoveListener;
  readonly macLimit: number;
  /** Beyond the limit: announced, but not for the kernel until others go. In the order in which they came. */
  readonly #waiting = new Set<string>();
  readonly #byMac = new RouteIndex<HostRoute>();
  readonly #byAddress = new RouteIndex<HostRoute>();
  readonly #byEndpoint = new RouteIndex<ReceivedRoute>();
  #ownAddresses: ReadonlySet<string> = new Set();
  /** By MAC: the addresses of hosts behind this node. */
  #ownHosts: ReadonlyMap<string, readonly string[]> = new Map();
  #addressesOfHosts: ReadonlySet<string> = new Set();
  /** Undefined: nothing was taken yet, so that all is a change. */
  #touched: Touched | undefined;

  constructor(own: OwnPart, onMove: MoveListener = () => undefined) {
    this.#own = own;
    this.macLimit = own.maxMacs ?? defaultMacLimit;
    this.#onMove = onMove;
  }

  /** How much of the limit the MACs of others take, usable or not. */
  get macs(): Fill {
    return judgeFill(this.#byMac.size, this.macLimit);
  }

  add(received: ReceivedRoute): void {
    this.#change("add", received);
  }

  /** @param received the object that was added */
  remove(received: ReceivedRoute): void {
    this.#change("remove", received);
  }

  /** Addresses that this node answers for: no neighbour has them. */
  setOwnAddresses(addresses: readonly string[]): void {
    this.#ownAddresses = new Set(addresses);
  }

  /** Hosts behind this node: whatever others announce of them, their frames stay here. */
  setOwnHosts(hosts: readonly { readonly mac: string; readonly addresses: readonly string[] }[]): void {
    const next = new Map(hosts.map(({ mac, addresses }) => [mac, addresses]));
    for (const mac of this.#ownHosts.keys()) if (!next.has(mac)) this.#touchHost(mac);
    for (const mac of next.keys()) if (!this.#ownHosts.has(mac)) this.#touchHost(mac);
    this.#ownHosts = next;
    this.#addressesOfHosts = new Set(hosts.flatMap(({ addresses }) => addresses));
  }

  /** All routes for a MAC, usable or not. */
  claimsOfMac(mac: string): Iterable<HostRoute> {
    return this.#byMac.at(mac);
  }

  /** All routes for an address, usable or not: whoever claims it competes. */
  claimsOf(address: string): Iterable<HostRoute> {
    return this.#byAddress.at(address);
  }

  /** The MAC that is selected for an address. */
  neighbour(address: string): string | undefined {
    const isOurs = this.#ownAddresses.has(address) || this.#addressesOfHosts.has(address);
    return isOurs ? undefined : this.#best(this.#byAddress.at(address))?.route.mac;
  }

  /** All that is selected. */
  forwarding(): ForwardingState {
    this.#admit();
    const { flood, hosts } = this.#entries();
    const neighbours = [...this.#byAddress.keys()].flatMap((address) => {
      const mac = this.neighbour(address);
      return mac === undefined ? [] : [{ address, mac }];
    });
    return {
      flood: flood.toSorted(),
      hosts: hosts.toSorted((one, other) => compareTexts(one.mac, other.mac)),
      neighbours: neighbours.toSorted((one, other) => compareTexts(one.address, other.address)),
    };
  }

  /** The entries that are selected, in no order; {@link takeChanges} tells of what comes after them. */
  takeWhole(): ForwardingPlan {
    this.#takeTouched();
    return this.#entries();
  }

  /** How the selection differs from what it was when it was last taken. */
  takeChanges(): ForwardingChanges {
    const touched = this.#takeTouched();
    if (touched === undefined) {
      const { flood, hosts } = this.#entries();
      return { flood: flood.map((vtep) => ({ vtep, wanted: true })), hosts };
    }
    const hosts = [...touched.hosts]
      .map(([mac, before]) => ({ mac, vtep: this.#vtepOf(mac), before }))
      .filter(({ vtep, before }) => vtep !== before);
    for (const { mac, vtep, before } of hosts) {
      if (vtep !== undefined && before !== undefined) {
        this.#onMove(mac, before, vtep);
      }
    }
    return {
      flood: [...touched.flood]
        .map(([vtep, before]) => ({ vtep, wanted: this.#isFlooded(vtep), before }))
        .flatMap(({ before, ...change }) => (change.wanted === before ? [] : [change])),
      hosts: hosts.map(({ mac, vtep }) => ({ mac, vtep })),
    };
  }

  #takeTouched(): Touched | undefined {
    this.#admit();
    const touched = this.#touched;
    this.#touched = { hosts: new Map(), flood: new Map() };
    return touched;
  }

  #change(change: "add" | "remove", received: ReceivedRoute): void {
    if (isHostRoute(received)) {
      const { mac, ip } = received.route;
      this.#touchHost(mac);
      const wasKnown = this.#byMac.has(mac);
      this.#byMac[change](mac, received);
      if (!wasKnown && this.#admitted > this.macLimit) {
        this.#waiting.add(mac);
      } else if (!this.#byMac.has(mac)) {
        this.#waiting.delete(mac);
      }
      if (ip !== undefined) {
        this.#byAddress[change](ip, received);
      }
      return;
    }
    const endpoint = floodEndpoint(received, this.#own);
    if (endpoint !== undefined) {
      this.#touchFlood(endpoint);
      this.#byEndpoint[change](endpoint, received);
    }
  }

  get #admitted(): number {
    return this.#byMac.size - this.#waiting.size;
  }

  /** Not as soon as a MAC goes: in most cases another route of the same MAC takes its place in the same UPDATE. */
  #admit(): void {
    for (const mac of this.#waiting) {
      if (this.#admitted >= this.macLimit) {
        return;
      }
      this.#touchHost(mac);
      this.#waiting.delete(mac);
    }
  }

  #touchHost(mac: string): void {
    if (this.#touched !== undefined && !this.#touched.hosts.has(mac)) {
      this.#touched.hosts.set(mac, this.#vtepOf(mac));
    }
  }

  #touchFlood(vtep: string): void {
    if (this.#touched !== undefined && !this.#touched.flood.has(vtep)) {
      this.#touched.flood.set(vtep, this.#isFlooded(vtep));
    }
  }

  #entries(): ForwardingPlan {
    const hosts: { readonly mac: string; readonly vtep: string }[] = [];
    for (const mac of this.#byMac.keys()) {
      const vtep = this.#vtepOf(mac);
      if (vtep !== undefined) {
        hosts.push({ mac, vtep });
      }
    }
    return { flood: [...this.#byEndpoint.keys()], hosts };
  }

  #vtepOf(mac: string): string | undefined {
    const isElsewhere = !this.#waiting.has(mac) && !this.#ownHosts.has(mac);
    return isElsewhere ? this.#best(this.#byMac.at(mac))?.nextHop : undefined;
  }

  #isFlooded(vtep: string): boolean {
    return this.#byEndpoint.has(vtep);
  }

  #best(claims: Iterable<HostRoute>): HostRoute | undefined {
    let best: HostRoute | undefined;
    for (const claim of claims) {
      if (isUsableHost(claim, this.#own) && (best === undefined || compareHosts(claim, best) < 0)) {
        best = claim;
      }
    }
    return best;
  }
}

/** Two MACs that one VTEP announces for an address alike: the same one counts, in whatever order they came. */
function compareHosts(a: HostRoute, b: HostRoute): number {
  return compareClaims(a, b) || compareTexts(a.route.mac, b.route.mac);
}
