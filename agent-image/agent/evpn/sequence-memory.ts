import { raiseDelay, recentTimes } from "../bgp/rib/duplicate-detection.js";
import { maximumSequence } from "../bgp/rib/mac-mobility.js";

/** The MAC mobility number of a MAC in a network. */
export interface SequenceEntry {
  readonly network: string;
  readonly mac: string;
  readonly sequence: number;
  /** When it was raised lately: milliseconds of the wall clock, because they must outlive the process. */
  readonly raisedAt?: readonly number[];
  /** Since when we do not announce the MAC: milliseconds of the wall clock. Absent while we do. */
  readonly unusedSince?: number;
}

/**
 * Milliseconds after which the number of a MAC that we do not announce is forgotten, so that hosts that come and go do not fill
 * the memory. The MAC then begins at 0 as one that is new (RFC 7432 section 15), and above whoever announces it by then. A week
 * is longer than peers are usually set to keep routes of a session that went down before the withdrawal: minutes with graceful
 * restart (RFC 4724), hours or a day where it is long-lived (RFC 9494).
 */
export const forgottenAfter = 7 * 24 * 3_600_000;

/** Milliseconds between two looks at which numbers can be forgotten. */
const lookPeriod = 3_600_000;

/**
 * The MAC mobility numbers that we have announced, for a week also of networks and MACs that are away. A number is never
 * lowered meanwhile: peers that saw a higher one would prefer whoever else announces the MAC (RFC 7432 section 15).
 */
export class SequenceMemory {
  readonly #entries: Map<string, SequenceEntry>;
  readonly #onChange: () => void;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(entries: readonly SequenceEntry[] = [], onChange: () => void = () => undefined) {
    this.#entries = new Map(entries.map((entry) => [entryKey(entry), entry]));
    this.#onChange = onChange;
  }

  /** 0 where none is known: what an absent number means. */
  of(network: string, mac: string): number {
    return this.#entries.get(entryKey({ network, mac }))?.sequence ?? 0;
  }

  /** The number with which the MAC is announced from now on. */
  take(network: string, mac: string): number {
    const entry = this.#entries.get(entryKey({ network, mac }));
    if (entry?.unusedSince !== undefined) {
      const { unusedSince: _, ...used } = entry;
      this.#entries.set(entryKey(entry), used);
      this.#onChange();
    }
    return this.of(network, mac);
  }

  /** The MAC is not announced any more. */
  release(network: string, mac: string, now: Date): void {
    const entry = this.#entries.get(entryKey({ network, mac }));
    if (entry !== undefined) {
      this.#entries.set(entryKey(entry), { ...entry, unusedSince: now.getTime() });
      this.#onChange();
    }
    this.#forget(now.getTime());
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
      this.#onChange();
    }
    this.#forget(now.getTime());
  }

  /** Who was not announced for long; with a clock that was set back the time begins anew. */
  #forget(now: number): void {
    if (Math.abs(now - this.#lookedAt) < lookPeriod) return;
    this.#lookedAt = now;
    for (const [key, entry] of this.#entries) {
      const { unusedSince } = entry;
      if (unusedSince === undefined) continue;
      if (unusedSince > now) this.#entries.set(key, { ...entry, unusedSince: now });
      else if (now - unusedSince >= forgottenAfter) this.#entries.delete(key);
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
  const entry = (value ?? {}) as Partial<Record<keyof SequenceEntry, unknown>>;
  const { network, mac, sequence, raisedAt = [], unusedSince = 0 } = entry;
  return (
    typeof network === "string" &&
    typeof mac === "string" &&
    typeof sequence === "number" &&
    Number.isInteger(sequence) &&
    sequence >= 0 &&
    sequence <= maximumSequence &&
    Array.isArray(raisedAt) &&
    raisedAt.every((time) => typeof time === "number") &&
    typeof unusedSince === "number"
  );
}
