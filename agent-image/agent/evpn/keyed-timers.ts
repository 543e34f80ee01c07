import type { Clock } from "../bgp/session/clock.js";

/** At most one timer for each key. */
export class KeyedTimers {
  readonly #clock: Clock;
  readonly #pending = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return this.#pending.has(key);
  }

  /** Without effect while one runs. */
  begin(key: string, milliseconds: number, action: () => void): void {
    if (this.#pending.has(key)) {
      return;
    }
    const cancel = this.#clock.schedule(milliseconds, () => {
      this.#pending.delete(key);
      action();
    });
    this.#pending.set(key, cancel);
  }

  cancel(key: string): void {
    this.#pending.get(key)?.();
    this.#pending.delete(key);
  }
}
