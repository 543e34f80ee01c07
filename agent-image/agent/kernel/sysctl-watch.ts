import type { SysctlPlan } from "../../../model/index.js";

/** Milliseconds between two looks. */
const lookPeriod = 500;
/** Values read in one look, which takes a millisecond; all of twenty networks. Those of more networks take their turn. */
const valuesPerLook = 60;

/**
 * Notices sysctls that somebody changed. The kernel tells of rp_filter and forwarding alone (RTM_NEWNETCONF), of accept_ra,
 * autoconf and src_valid_mark it does not.
 */
export class SysctlWatch {
  private readonly read: (name: string) => string | undefined;
  private readonly onDeviation: () => void;
  private planned: readonly SysctlPlan[] = [];
  private next = 0;
  /** Told already: what cannot be put back must not ask for a pass with each look. */
  private readonly told = new Map<string, string | undefined>();
  private timer: NodeJS.Timeout | undefined;

  constructor(read: (name: string) => string | undefined, onDeviation: () => void) {
    this.read = read;
    this.onDeviation = onDeviation;
  }

  /** What shall be from now on. */
  expect(planned: readonly SysctlPlan[]): void {
    this.planned = planned;
    const names = new Set(planned.map(({ name }) => name));
    for (const name of this.told.keys()) if (!names.has(name)) this.told.delete(name);
  }

  start(): void {
    this.timer = setInterval(() => this.look(), lookPeriod);
  }

  look(): void {
    const count = Math.min(valuesPerLook, this.planned.length);
    let deviates = false;
    for (let index = 0; index < count; index++) {
      const planned = this.planned[this.next++ % this.planned.length];
      if (planned !== undefined && this.isNews(planned)) deviates = true;
    }
    if (deviates) this.onDeviation();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private isNews({ name, value }: SysctlPlan): boolean {
    const found = this.read(name);
    if (found === value) {
      this.told.delete(name);
      return false;
    }
    if (this.told.has(name) && this.told.get(name) === found) return false;
    this.told.set(name, found);
    return true;
  }
}
