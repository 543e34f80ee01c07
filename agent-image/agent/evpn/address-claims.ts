import { isOutOfReach, sequenceAbove } from "../bgp/rib/mac-mobility.js";
import type { Clock } from "../bgp/session/clock.js";
import { competingClaims, movableClaims, type OwnHost } from "./competing-claims.js";
import { KeyedTimers } from "./keyed-timers.js";
import type { Log } from "./log.js";
import type { UnrestfulHosts } from "./mobility-findings.js";
import type { NetworkRib } from "./network-rib.js";
import type { SequenceMemory } from "./sequence-memory.js";

export interface AddressClaimsOptions {
  readonly network: string;
  /** Of the node's interface in the network. */
  readonly mac: string;
  readonly sequences: SequenceMemory;
  readonly clock: Clock;
  readonly log: Log;
  /** A number that had to wait may be raised now. */
  readonly onDue: () => void;
}

/** The addresses of one network that this node answers for with the MAC of its interface, and the number of that MAC. */
export class AddressClaims {
  readonly #options: AddressClaimsOptions;
  readonly #damped: KeyedTimers;
  #addresses: readonly string[];
  /** Those that were claimed before any peer had sent all its routes: who competes is not known yet. */
  #unsettled: readonly string[];
  /** Only ever raised. */
  #sequence: number;

  /** @param addresses all of them new claims */
  constructor(options: AddressClaimsOptions, addresses: readonly string[]) {
    this.#options = options;
    this.#damped = new KeyedTimers(options.clock);
    this.#addresses = addresses;
    this.#unsettled = addresses;
    this.#sequence = options.sequences.take(options.network, options.mac);
  }

  get mac(): string {
    return this.#options.mac;
  }

  /** Sorted, each once. */
  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** MAC mobility number. */
  get sequence(): number {
    return this.#sequence;
  }

  set(addresses: readonly string[]): void {
    const wanted = [...new Set(addresses)].sort();
    const claimed = wanted.filter((address) => !this.#addresses.includes(address));
    this.#addresses = wanted;
    this.#unsettled = [...this.#unsettled.filter((address) => wanted.includes(address)), ...claimed];
  }

  /**
   * A new claim is set above those that others still hold, once, as soon as they are known. Never later: two nodes that
   * both insist would otherwise raise their numbers for ever. Where claims come and go as often as switches take for a
   * duplicate, it waits. Returns whether the number has changed.
   */
  settle(rib: NetworkRib, own: OwnHost): boolean {
    if (this.#unsettled.length === 0) {
      return false;
    }
    const { network, sequences, clock, mac } = this.#options;
    const before = this.#sequence;
    const sequence = sequenceAbove(before, movableClaims(competingClaims(rib, this.#unsettled, own)));
    const wait = sequence === before ? 0 : sequences.delay({ network, mac }, clock.wallTime());
    if (wait > 0) {
      this.#damp(wait);
      return false;
    }
    this.close();
    sequences.raise({ network, mac, sequence }, clock.wallTime());
    this.#sequence = sequence;
    this.#unsettled = [];
    return sequence !== before;
  }

  /** What others claim of the addresses, with routes that still stand. */
  contested(rib: NetworkRib, own: OwnHost): readonly string[] {
    return competingClaims(rib, this.#addresses, own).flatMap(({ route }) => route.ip ?? []);
  }

  /** What of it keeps traffic from coming to rest. */
  unrest(rib: NetworkRib, own: OwnHost): Omit<UnrestfulHosts, "duplicates"> {
    const damped = this.#damped.has(this.mac) ? this.#unsettled : [];
    const competing = competingClaims(rib, this.#addresses, own);
    return {
      unanswered: movableClaims(competingClaims(rib, damped, own)).filter(
        ({ traits }) => traits.sequence >= this.#sequence,
      ),
      sticky: competing.filter(({ traits }) => traits.sticky),
      outOfReach: competing.filter(isOutOfReach),
    };
  }

  /** Ends the waiting. */
  close(): void {
    this.#damped.cancel(this.mac);
  }

  #damp(milliseconds: number): void {
    const { network, log, onDue } = this.#options;
    if (!this.#damped.has(this.mac)) {
      const addresses = this.#unsettled;
      log("warn", "a sequence number is not raised again for now", { network, addresses, milliseconds });
    }
    this.#damped.begin(this.mac, milliseconds, onDue);
  }
}
