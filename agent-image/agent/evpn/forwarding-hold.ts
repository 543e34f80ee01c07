import type { Clock } from "../bgp/session/clock.js";
import { restartTime } from "../bgp/session/negotiation.js";
import { KeyedTimers } from "./keyed-timers.js";

/**
 * Milliseconds for which entries that no peer vouches for stay in the kernel: what we tell peers that our restart takes
 * (RFC 4724 section 3), and as long as the routes of a lost session stay.
 */
const holdPeriod = restartTime * 1000;

/**
 * By network: how long the kernel keeps what stood in it before any peer has sent all its routes. That is what an earlier
 * process left, or the static flood list of a network that has just changed to BGP. Both are the same entries to the
 * kernel, and both carry traffic until the peers' routes take their place, so a change of mode cuts nobody off. But a peer
 * that never answers must not keep them for ever (osrg/gobgp#1939).
 */
export class ForwardingHold {
  readonly #pending: KeyedTimers;
  /** The time is up, but a peer was sending its routes. */
  readonly #due = new Set<string>();
  readonly #over = new Set<string>();

  constructor(clock: Clock) {
    this.#pending = new KeyedTimers(clock);
  }

  /** Only the first call counts: peers that are changed again and again must not prolong it. */
  begin(network: string, onDue: () => void): void {
    if (this.#due.has(network) || this.#over.has(network)) {
      return;
    }
    this.#pending.begin(network, holdPeriod, () => {
      this.#due.add(network);
      onDue();
    });
  }

  /**
   * Ends the hold when its time is up, but not while a peer is sending its routes: what it has not sent yet would be taken
   * away and put back. Returns whether it has ended now.
   */
  endIfDue(network: string, receiving: boolean): boolean {
    if (receiving || !this.#due.delete(network)) {
      return false;
    }
    this.#over.add(network);
    return true;
  }

  /** Nothing stands in the kernel that had to be kept. */
  skip(network: string): void {
    this.#pending.cancel(network);
    this.#due.delete(network);
    this.#over.add(network);
  }

  /** From now on the kernel holds what is known, even if that is nothing. */
  isOver(network: string): boolean {
    return this.#over.has(network);
  }

  /** The network's routes are known, or the network is gone. */
  forget(network: string): void {
    this.#pending.cancel(network);
    this.#due.delete(network);
    this.#over.delete(network);
  }
}
