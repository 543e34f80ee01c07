import { compareClaims, isOutOfReach, sequenceAbove } from "../bgp/rib/mac-mobility.js";
import { isLive } from "../bgp/rib/received-route.js";
import type { Clock } from "../bgp/session/clock.js";
import { competingClaims, movableClaims } from "./competing-claims.js";
import { KeyedTimers } from "./keyed-timers.js";
import type { NetworkRib } from "./network-rib.js";
import type { SequenceMemory } from "./sequence-memory.js";
import { type HostRoute, isUsableHost, type OwnPart } from "./usable-routes.js";

/** A host behind a bridge of this node: a virtual machine with a MAC of its own. */
export interface LocalHost {
  readonly mac: string;
  /** IPv4 and canonical IPv6, sorted. */
  readonly addresses: readonly string[];
}

/** What is announced of it. */
export interface LocalHostClaim extends LocalHost {
  /** MAC mobility number of its MAC. */
  readonly sequence: number;
  /** It came, or took an address, and what others claim of it is not known yet or may not be answered yet. */
  readonly unsettled: boolean;
  /** The highest number that others had for its MAC while it was unsettled; they may have withdrawn since. */
  readonly seen?: number;
}

export interface HostClaimsOptions {
  readonly network: string;
  readonly sequences: SequenceMemory;
  readonly clock: Clock;
  /** A number that had to wait may be raised now. */
  readonly onDue: () => void;
  /** A host moved between this node and another. */
  readonly onMove: (mac: string, from: string, to: string) => void;
}

/**
 * The hosts of one network that this node announces (RFC 7432 sections 9 and 15). Who comes is set above all that others claim of
 * it, once; whoever is set above it later has it. Numbers rise as seldom as those of the node's own MAC.
 */
export class HostClaims {
  readonly #options: HostClaimsOptions;
  readonly #damped: KeyedTimers;
  #claims: ReadonlyMap<string, LocalHostClaim> = new Map();

  constructor(options: HostClaimsOptions) {
    this.#options = options;
    this.#damped = new KeyedTimers(options.clock);
  }

  get claims(): readonly LocalHostClaim[] {
    return [...this.#claims.values()];
  }

  has(mac: string): boolean {
    return this.#claims.has(mac);
  }

  /** The hosts that are behind this node now. */
  set(hosts: readonly LocalHost[]): void {
    const { sequences, network } = this.#options;
    const before = this.#claims;
    this.#claims = new Map(
      hosts.map(({ mac, addresses }) => {
        const known = before.get(mac);
        const sequence = known?.sequence ?? sequences.take(network, mac);
        const isNew = known === undefined || addresses.some((address) => !known.addresses.includes(address));
        const unsettled = isNew || known.unsettled;
        return [mac, { ...known, mac, addresses, sequence, unsettled }];
      }),
    );
    for (const mac of before.keys()) {
      if (this.#claims.has(mac)) continue;
      this.#damped.cancel(mac);
      this.#release(mac);
    }
  }

  /** Sets those that have come above what others claim. Returns whether a number has changed. */
  settle(rib: NetworkRib, own: OwnPart): boolean {
    const settled = this.claims.map((claim) => (claim.unsettled ? this.#settled(claim, rib, own) : claim));
    const changed = settled.some(({ mac, sequence }) => this.#claims.get(mac)?.sequence !== sequence);
    this.#claims = new Map(settled.map((claim) => [claim.mac, claim]));
    return changed;
  }

  #settled(claim: LocalHostClaim, rib: NetworkRib, own: OwnPart): LocalHostClaim {
    const { network, sequences, clock, onMove } = this.#options;
    const { mac, addresses, seen = -1 } = noted(claim, rib, own);
    const ofMac = elsewhere(rib, mac, own);
    const competing = movableClaims([...ofMac, ...competingClaims(rib, addresses, { vtep: own.vtep, mac })]);
    // Also above what has gone: a receiver whose best route changes to ours at once still holds the number of the other one, and FRR
    // (8.4) then takes no lower one (measured).
    const sequence = Math.max(sequenceAbove(claim.sequence, competing), seen + 1);
    const host = { network, mac };
    const wait = sequence === claim.sequence ? 0 : sequences.delay(host, clock.wallTime());
    if (wait > 0) {
      this.#damped.begin(mac, wait, this.#options.onDue);
      return { ...claim, seen };
    }
    this.#damped.cancel(mac);
    sequences.raise({ ...host, sequence }, clock.wallTime());
    const [from] = ofMac;
    if (from !== undefined) onMove(mac, from.nextHop, own.vtep);
    return { mac, addresses, sequence, unsettled: false };
  }

  /** Gives up the hosts that another VTEP claims with more right, and returns their MACs. */
  yield(rib: NetworkRib, own: OwnPart): readonly string[] {
    this.#claims = new Map(
      this.claims.map((claim) => [claim.mac, claim.unsettled ? noted(claim, rib, own) : claim] as const),
    );
    const lost = this.claims.flatMap((claim) => {
      const winner = claim.unsettled
        ? undefined
        : elsewhere(rib, claim.mac, own).find((route) => precedes(route, claim, own));
      return winner === undefined ? [] : [{ mac: claim.mac, to: winner.nextHop }];
    });
    const macs = new Set(lost.map(({ mac }) => mac));
    if (macs.size > 0) this.#claims = new Map([...this.#claims].filter(([mac]) => !macs.has(mac)));
    for (const { mac, to } of lost) {
      this.#release(mac);
      this.#options.onMove(mac, own.vtep, to);
    }
    return [...macs];
  }

  #release(mac: string): void {
    const { sequences, network, clock } = this.#options;
    sequences.release(network, mac, clock.wallTime());
  }

  /** Ends the waiting. */
  close(): void {
    for (const mac of this.#claims.keys()) this.#damped.cancel(mac);
    this.#claims = new Map();
  }
}

function noted(claim: LocalHostClaim, rib: NetworkRib, own: OwnPart): LocalHostClaim {
  const others = movableClaims(elsewhere(rib, claim.mac, own)).filter((route) => !isOutOfReach(route));
  const numbers = others.map(({ traits }) => traits.sequence);
  return { ...claim, seen: numbers.reduce((one, other) => Math.max(one, other), claim.seen ?? -1) };
}

/** What others claim of a MAC, as far as frames could go there. */
function elsewhere(rib: NetworkRib, mac: string, own: OwnPart): readonly HostRoute[] {
  return [...rib.claimsOfMac(mac)].filter((route) => isLive(route) && isUsableHost(route, own));
}

/** RFC 7432 sections 15.1 and 15.2, as {@link compareClaims} decides between two of others. */
function precedes(route: HostRoute, { sequence }: LocalHostClaim, { vtep }: OwnPart): boolean {
  const ours = { ...route, nextHop: vtep, stale: false, traits: { ...route.traits, sticky: false, sequence } };
  return compareClaims(route, ours) < 0;
}
