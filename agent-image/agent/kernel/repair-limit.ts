import type { RepairedKind } from "./repaired-kind.js";

/** Repairs of one network within {@link contestWindow} after which somebody else keeps undoing our work: no accident does. */
export const contestedAfter = 20;
/** Milliseconds. */
export const contestWindow = 60_000;
/** Milliseconds between two repairs of a network that is contested: enough to win in the end, too few to wear out both sides. */
export const contestedPace = 10_000;

/**
 * Whether a network may be repaired now. Single deletions, also in a row, are put right at once (tailscale/tailscale#10857);
 * with a program that deletes whatever we write we do not race (tailscale has a limiter for the same reason).
 */
export class RepairLimit {
  /** When repairs were made, in milliseconds of a monotonic clock; none older than the window. */
  private times: readonly number[] = [];
  private contested = false;
  private kinds: ReadonlySet<RepairedKind> = new Set();

  /** Milliseconds until the network may be repaired; 0: now. */
  wait(now: number): number {
    this.forget(now);
    const last = this.times.at(-1);
    return this.contested && last !== undefined ? Math.max(0, last + contestedPace - now) : 0;
  }

  repaired(now: number, kinds: readonly RepairedKind[]): void {
    this.forget(now);
    this.times = [...this.times, now];
    this.kinds = new Set([...this.kinds, ...kinds]);
    if (this.times.length >= contestedAfter) this.contested = true;
  }

  /** What another program keeps undoing; nothing after a whole window without a repair. */
  contestedKinds(now: number): ReadonlySet<RepairedKind> {
    this.forget(now);
    return this.contested ? this.kinds : new Set();
  }

  private forget(now: number): void {
    this.times = this.times.filter((time) => now - time < contestWindow);
    if (this.times.length > 0) return;
    this.contested = false;
    this.kinds = new Set();
  }
}
