import { RepairLimit } from "./repair-limit.js";

/** What was removed that belongs to no plan, by its command. */
export interface Removed {
  readonly command: string;
  /** To which the object belonged all the same; undefined where none can be named. */
  readonly network: string | undefined;
}

/**
 * Whether objects with our marks that belong to no plan may be removed now, and which of them come again and again. A {@link RepairLimit}
 * for each network to which such objects belong, and one for those that belong to none.
 */
export class RemovalLimits {
  private readonly limits = new Map<string | undefined, RepairLimit<string>>();
  /** The plan of the last pass, as text: what a new one gives up was put in by us. */
  private plan: string | undefined;
  private isNewPlan = true;

  /** A pass begins. Returns whether its plan is another than that of the last one. */
  begin(plan: string): boolean {
    this.isNewPlan = plan !== this.plan;
    this.plan = plan;
    return this.isNewPlan;
  }

  /** Milliseconds until what belongs to a network, or to none, may be removed; 0: now. */
  wait(network: string | undefined, now: number): number {
    return this.isNewPlan ? 0 : (this.limits.get(network)?.wait(now) ?? 0);
  }

  removed(now: number, removed: readonly Removed[]): void {
    if (this.isNewPlan) return;
    for (const [network, alike] of Map.groupBy(removed, (one) => one.network)) {
      const limit = this.limits.get(network) ?? new RepairLimit<string>();
      this.limits.set(network, limit);
      limit.repaired(
        now,
        alike.map(({ command }) => command),
      );
    }
  }

  /** The commands that another program undoes, by network. */
  contested(now: number): ReadonlyMap<string | undefined, ReadonlySet<string>> {
    const commands = [...this.limits].map(([network, limit]) => [network, limit.contestedKinds(now)] as const);
    return new Map(commands.filter(([, contested]) => contested.size > 0));
  }

  forgetAbsent(networks: ReadonlySet<string>): void {
    for (const network of this.limits.keys())
      if (network !== undefined && !networks.has(network)) this.limits.delete(network);
  }
}
