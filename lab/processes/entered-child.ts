import type { ChildProcess } from "node:child_process";
import { exitCode } from "./exit-code.js";
import { descend, signal } from "./process-identity.js";
import { waitFor } from "./wait-for.js";

/** The chain of entering programs stands within milliseconds; a slow machine gets a thousand times that. */
export const ENTERING_MS = 10_000;

/** Waits for the end of a child process; it may have ended before. Returns its exit code as shells count. */
export function childEnd(child: ChildProcess): Promise<number> {
  if (hasEnded(child)) return Promise.resolve(exitCode(child.exitCode, child.signalCode));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, name) => resolve(exitCode(code, name)));
  });
}

/**
 * Signals the program at the end of a chain of programs that only wait for their child, as `nsenter --pid` does, and pass no
 * signal on. A child that was started a moment ago may not have forked yet: it is waited for. One that has ended is left.
 *
 * @param waitingParents how many programs of the chain come before the one that is meant
 */
export async function signalEntered(child: ChildProcess, waitingParents: number, name: NodeJS.Signals): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const entered = await waitFor(
    `the program below process ${pid}`,
    () => (hasEnded(child) ? "ended" : descend(pid, waitingParents)),
    { timeout: ENTERING_MS, interval: 2 },
  );
  if (entered !== "ended") signal(entered, name);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
