import { compareTexts } from "../../../model/node-plan/compare.js";
import { compareClaims } from "../bgp/rib/mac-mobility.js";
import type { ReceivedRoute } from "../bgp/rib/received-route.js";
import { RouteIndex } from "../bgp/rib/route-index.js";
import { CopiedEntries } from "./copied-entries.js";
import type { ForwardingChanges, ForwardingState } from "./forwarding-state.js";
import { floodEndpoint, type HostRoute, isHostRoute, isUsableHost, type OwnPart } from "./usable-routes.js";

/**
 * The routes that one network imports from all its peers, and what was selected of them. A change costs a look at the routes of
 * its MAC and its address alone, so a host that moves among a hundred thousand costs as much as one among ten
 * (osrg/gobgp#2750 was quadratic). Only routes that are present are compared, nothing is remembered of those that went.
 */
export class NetworkRib {
  readonly #own: OwnPart;
  readonly #byMac = new RouteIndex<HostRoute>();
  readonly #byAddress = new RouteIndex<HostRoute>();
  readonly #byEndpoint = new RouteIndex<ReceivedRoute>();
  #ownAddresses: ReadonlySet<string> = new Set();

  /** What has changed since the last selection. */
  readonly #touchedMacs = new Set<string>();
  readonly #touchedAddresses = new Set<string>();
  readonly #touchedEndpoints = new Set<string>();

  /** VTEP by MAC. */
  readonly #hosts = new CopiedEntries();
  /** MAC by address. */
  readonly #neighbours = new Map<string, string>();
  /** Each VTEP by itself. */
  readonly #flood = new CopiedEntries();

  constructor(own: OwnPart) {
    this.#own = own;
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
    for (const address of [...this.#ownAddresses, ...addresses]) {
      this.#touchedAddresses.add(address);
    }
    this.#ownAddresses = new Set(addresses);
  }

  /** All routes for an address, usable or not: whoever claims it competes. */
  claimsOf(address: string): Iterable<HostRoute> {
    return this.#byAddress.at(address);
  }

  /** The MAC that was selected for an address. */
  neighbour(address: string): string | undefined {
    this.#select();
    return this.#neighbours.get(address);
  }

  /** All that was selected. */
  forwarding(): ForwardingState {
    this.#select();
    return {
      flood: [...this.#flood.entries.keys()].sort(),
      hosts: sortedByKey(this.#hosts.entries).map(([mac, vtep]) => ({ mac, vtep })),
      neighbours: sortedByKey(this.#neighbours).map(([address, mac]) => ({ address, mac })),
    };
  }

  /** How the selection differs from what it was at the last call. */
  takeChanges(): ForwardingChanges {
    this.#select();
    return {
      flood: this.#flood.takeChanges().map(({ key, wanted }) => ({ vtep: key, wanted: wanted !== undefined })),
      hosts: this.#hosts.takeChanges().map(({ key, wanted }) => ({ mac: key, vtep: wanted })),
    };
  }

  #change(change: "add" | "remove", received: ReceivedRoute): void {
    if (isHostRoute(received)) {
      const { mac, ip } = received.route;
      this.#byMac[change](mac, received);
      this.#touchedMacs.add(mac);
      if (ip !== undefined) {
        this.#byAddress[change](ip, received);
        this.#touchedAddresses.add(ip);
      }
      return;
    }
    const endpoint = floodEndpoint(received, this.#own);
    if (endpoint !== undefined) {
      this.#byEndpoint[change](endpoint, received);
      this.#touchedEndpoints.add(endpoint);
    }
  }

  #select(): void {
    for (const mac of this.#touchedMacs) {
      this.#hosts.set(mac, this.#best(this.#byMac.at(mac))?.nextHop);
    }
    for (const address of this.#touchedAddresses) {
      const best = this.#ownAddresses.has(address) ? undefined : this.#best(this.#byAddress.at(address));
      if (best === undefined) {
        this.#neighbours.delete(address);
      } else {
        this.#neighbours.set(address, best.route.mac);
      }
    }
    for (const endpoint of this.#touchedEndpoints) {
      const [wanting] = this.#byEndpoint.at(endpoint);
      this.#flood.set(endpoint, wanting === undefined ? undefined : endpoint);
    }
    this.#touchedMacs.clear();
    this.#touchedAddresses.clear();
    this.#touchedEndpoints.clear();
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

function sortedByKey(entries: ReadonlyMap<string, string>): [string, string][] {
  return [...entries].sort(([a], [b]) => compareTexts(a, b));
}
