import { raiseDelay, recentTimes } from "../bgp/rib/duplicate-detection.js";
import { maximumSequence } from "../bgp/rib/mac-mobility.js";

/** The MAC mobility number of a MAC in a network. */
export interface SequenceEntry {
  readonly network: string;
  readonly mac: string;
  readonly sequence: number;
  /** When it was raised lately: milliseconds of the wall clock, because they must outlive the process. */
  readonly raisedAt?: readonly number[];
}

/**
 * The MAC mobility numbers that we have announced, also of networks and MACs that are away. A number is never lowered: peers
 * that saw a higher one would prefer whoever else announces the MAC (RFC 7432 section 15).
 */
export class SequenceMemory {
  readonly #entries: Map<string, SequenceEntry>;
  readonly #onRaise: () => void;

  constructor(entries: readonly SequenceEntry[] = [], onRaise: () => void = () => undefined) {
    this.#entries = new Map(entries.map((entry) => [entryKey(entry), entry]));
    this.#onRaise = onRaise;
  }

  /** 0 where none is known: what an absent number means. */
  of(network: string, mac: string): number {
    return this.#entries.get(entryKey({ network, mac }))?.sequence ?? 0;
  }

  /** How many milliseconds the number must not be raised: see {@link raiseDelay}. */
  delay(entry: Pick<SequenceEntry, "network" | "mac">, now: Date): number {
    return raiseDelay(this.#raisedAt(entry), now.getTime());
  }

  raise({ network, mac, sequence }: Omit<SequenceEntry, "raisedAt">, now: Date): void {
    if (sequence > this.of(network, mac)) {
      const at = now.getTime();
      const raisedAt = [...recentTimes(this.#raisedAt({ network, mac }), at), at];
      this.#entries.set(entryKey({ network, mac }), { network, mac, sequence, raisedAt });
      this.#onRaise();
    }
  }

  #raisedAt(entry: Pick<SequenceEntry, "network" | "mac">): readonly number[] {
    return this.#entries.get(entryKey(entry))?.raisedAt ?? [];
  }

  entries(): readonly SequenceEntry[] {
    return [...this.#entries.values()];
  }
}

function entryKey({ network, mac }: Pick<SequenceEntry, "network" | "mac">): string {
  return `${network} ${mac}`;
}

/** Whether it can be announced. */
export function isSequenceEntry(value: unknown): value is SequenceEntry {
  const { network, mac, sequence, raisedAt = [] } = (value ?? {}) as Partial<Record<keyof SequenceEntry, unknown>>;
  return (
    typeof network === "string" &&
    typeof mac === "string" &&
    typeof sequence === "number" &&
    Number.isInteger(sequence) &&
    sequence >= 0 &&
    sequence <= maximumSequence &&
    Array.isArray(raisedAt) &&
    raisedAt.every((time) => typeof time === "number")
  );
}
