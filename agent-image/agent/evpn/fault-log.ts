import { describeFault, type UpdateFault } from "../bgp/codec/update.js";
import type { Clock } from "../bgp/session/clock.js";
import { named } from "./findings.js";

/** Milliseconds between two lines about one peer. */
const interval = 10_000;

/**
 * What is wrong in the UPDATEs of one peer, for the log (RFC 7606 section 6): at once at first, then at intervals with the number of those
 * in between. A message may hold thousands of faulty routes, and there may be thousands of such messages a second: told each,
 * they would fill the disk and keep the node from all other peers.
 */
export class FaultLog {
  readonly #clock: Clock;
  readonly #write: (fields: Readonly<Record<string, unknown>>) => void;
  #nextAt = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor(clock: Clock, write: (fields: Readonly<Record<string, unknown>>) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  note(faults: readonly UpdateFault[]): void {
    if (faults.length === 0) {
      return;
    }
    const now = this.#clock.now();
    if (now < this.#nextAt) {
      this.#untold += 1;
      return;
    }
    this.#write({
      faults: named([...new Set(faults.map(describeFault))]),
      ...(this.#untold === 0 ? {} : { untold: this.#untold }),
    });
    this.#nextAt = now + interval;
    this.#untold = 0;
  }
}
