import type { PaceClock } from "../../../../agent-image/agent/kernel/pace.js";

/** A clock that stands until it is told to go on. */
export class FakeClock implements PaceClock {
  private time = 0;
  private readonly timers = new Set<{ readonly at: number; readonly action: () => void }>();

  now(): number {
    return this.time;
  }

  schedule(milliseconds: number, action: () => void): () => void {
    const timer = { at: this.time + milliseconds, action };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Lets time pass, and fires what is due on the way. */
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const [next] = [...this.timers].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at);
      if (next === undefined) break;
      this.time = Math.max(this.time, next.at);
      this.timers.delete(next);
      next.action();
    }
    this.time = end;
  }
}
