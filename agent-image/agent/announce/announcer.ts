import { affordableAt, type FrameBudget, fullBudget, refill, spend } from "./frame-budget.js";
import { framesOf, framesOfStep } from "./frames.js";
import type { FrameSender } from "./packet-socket.js";
import { type Announcement, emptySchedule, hasten, nextDue, type Schedule, schedule, takeDue } from "./schedule.js";

/**
 * Milliseconds between two runs of the timer: steps that are due within share one, for each looks at all addresses. A
 * takeover does not wait for it.
 */
const runSpacing = 100;

export interface Announcer {
  /** What this node owns from now on; the first frames of a new address leave before this returns, within the budget. */
  set(owned: readonly Announcement[]): void;
  /** The next step of these addresses is due now. */
  hasten(device: string, addresses: readonly string[]): void;
  close(): void;
}

/** Drives the schedule with one timer. `onError` hears of a frame that could not be sent; the schedule goes on. */
export function startAnnouncer(sender: FrameSender, onError: (error: Error) => void): Announcer {
  let current: Schedule = emptySchedule;
  let budget: FrameBudget = fullBudget(performance.now());
  let timer: NodeJS.Timeout | undefined;

  const run = (): void => {
    clearTimeout(timer);
    const now = performance.now();
    budget = refill(budget, now);
    const taken = takeDue(current, now, Math.random, Math.floor(budget.frames / framesOfStep));
    current = taken.schedule;
    budget = spend(budget, taken.due.length * framesOfStep);
    for (const due of taken.due) {
      try {
        for (const frame of framesOf(due)) {
          sender.send(due.announcement.device, frame);
        }
      } catch (error) {
        onError(error as Error);
      }
    }
    const next = nextDue(current);
    if (next !== undefined) {
      const dueAt = Math.max(next, affordableAt(budget, framesOfStep));
      timer = setTimeout(run, Math.max(runSpacing, dueAt - performance.now()));
    }
  };

  return {
    set(owned) {
      current = schedule(current, owned, performance.now());
      run();
    },
    hasten(device, addresses) {
      current = hasten(current, device, new Set(addresses), performance.now());
      run();
    },
    close() {
      clearTimeout(timer);
      sender.close();
    },
  };
}
