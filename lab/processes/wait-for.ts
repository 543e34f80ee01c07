import { setTimeout as sleep } from "node:timers/promises";
import { logTail } from "./log-tail.js";

const TIMEOUT_MS = 30_000;
const INTERVAL_MS = 50;

export interface WaitOptions {
  /** Milliseconds until it fails. */
  readonly timeout?: number;
  /** Milliseconds between two looks. */
  readonly interval?: number;
  /** A log whose end is shown when the time is over. */
  readonly log?: string;
}

/**
 * Looks again and again until the probe returns something, and returns that.
 *
 * @param what What is waited for, in words that fit behind "waited for".
 * @throws When the time is over, with the end of the log; errors of the probe pass through at once.
 */
export async function waitFor<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions = {},
): Promise<T> {
  const timeout = options.timeout ?? TIMEOUT_MS;
  const deadline = Date.now() + timeout;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() >= deadline) {
      const tail = options.log === undefined ? "" : logTail(options.log);
      throw new Error(`waited ${timeout / 1000} s for ${what}, in vain${tail}`);
    }
    await sleep(options.interval ?? INTERVAL_MS);
  }
}
