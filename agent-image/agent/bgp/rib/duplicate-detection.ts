/**
 * RFC 7432 section 15.1: a MAC that moves so often within the period counts as a duplicate, and switches freeze it until somebody
 * clears it. FRR, Junos, NX-OS and EOS have these defaults too.
 */
export const duplicateMoves = 5;

/** Milliseconds. */
export const duplicatePeriod = 180_000;

/**
 * Those of the times that count at `now`, all in milliseconds of one clock. One that lies ahead was noted before the clock was set
 * back, and says nothing any more.
 */
export function recentTimes(times: readonly number[], now: number): readonly number[] {
  return times.filter((time) => time <= now && now - time < duplicatePeriod);
}

/**
 * How many milliseconds a sequence number must not be raised, so that its moves stay below what switches take for a duplicate.
 *
 * @param raisedAt when it was raised, in ascending order
 */
export function raiseDelay(raisedAt: readonly number[], now: number): number {
  const oldestThatCounts = recentTimes(raisedAt, now).at(1 - duplicateMoves);
  return oldestThatCounts === undefined ? 0 : oldestThatCounts + duplicatePeriod - now;
}

/** A MAC that moves among VTEPs of others more often than a host does. */
export interface DuplicateMac {
  readonly mac: string;
  /** Between which it moved last. */
  readonly vteps: readonly string[];
}

interface Moves {
  readonly times: readonly number[];
  readonly vteps: readonly string[];
}

/** A fabric that moves all its hosts at once must not fill the memory; who moves again and again stays among the latest. */
const maximumFollowed = 1024;

/** Counts how often MACs move between VTEPs of others. */
export class MacMoves {
  /** The one that moved last stands last. */
  readonly #moves = new Map<string, Moves>();

  /** @param now milliseconds of a monotonic clock */
  note(mac: string, from: string, to: string, now: number): void {
    const before = this.#moves.get(mac)?.times ?? [];
    this.#moves.delete(mac);
    const times = [...recentTimes(before, now), now].slice(-duplicateMoves);
    this.#moves.set(mac, { times, vteps: [from, to] });
    const [oldest] = this.#moves.keys();
    if (this.#moves.size > maximumFollowed && oldest !== undefined) {
      this.#moves.delete(oldest);
    }
  }

  duplicates(now: number): readonly DuplicateMac[] {
    return [...this.#moves].flatMap(([mac, { times, vteps }]) =>
      recentTimes(times, now).length < duplicateMoves ? [] : [{ mac, vteps }],
    );
  }
}
