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
export class RepairLimit<Kind extends string = RepairedKind> {
  /** When repairs were made, in milliseconds of a monotonic clock, and of what; none older than the window. */
  private repairs: readonly Repair<Kind>[] = [];
  private contested = false;
  private kinds: ReadonlySet<Kind> = new Set();

  /** Milliseconds until the network may be repaired; 0: now. */
  wait(now: number): number {
    this.forget(now);
    const last = this.repairs.at(-1);
    return this.contested && last !== undefined ? Math.max(0, last.time + contestedPace - now) : 0;
  }

  repaired(now: number, kinds: readonly Kind[]): void {
    this.forget(now);
    this.repairs = [...this.repairs, { time: now, kinds: new Set(kinds) }];
    if (this.repairs.length >= contestedAfter) this.contested = true;
    const undone = undoneKinds(this.repairs);
    if (undone.size > 0) this.kinds = undone;
    // Each time something else: one of it stands for all.
    else if (this.kinds.size === 0) this.kinds = new Set(kinds);
  }

  /** What another program keeps undoing; nothing after a whole window without a repair. */
  contestedKinds(now: number): ReadonlySet<Kind> {
    this.forget(now);
    return this.contested ? this.kinds : new Set();
  }

  private forget(now: number): void {
    this.repairs = this.repairs.filter(({ time }) => now - time < contestWindow);
    if (this.repairs.length > 0) return;
    this.contested = false;
    this.kinds = new Set();
  }
}

interface Repair<Kind> {
  readonly time: number;
  readonly kinds: ReadonlySet<Kind>;
}

/** Kinds that were put back more than once, and about as often as any: what somebody deletes by the way is no part of the quarrel. */
function undoneKinds<Kind>(repairs: readonly Repair<Kind>[]): ReadonlySet<Kind> {
  const counts = new Map<Kind, number>();
  for (const { kinds } of repairs) for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return new Set([...counts].filter(([, count]) => count > 1 && count >= most / 2).map(([kind]) => kind));
}
