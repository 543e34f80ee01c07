import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { nftTableName } from "../../../model/index.js";

/** Deleting an interface is a dozen events; a comparison is worth it once they are over. */
const DEBOUNCE_MS = 50;
/** A stream of events (a rolling update moves hundreds of pods) must not put the comparison off for ever. */
const MAX_DELAY_MS = 300;
/** A monitor that ends at once, for example because the program is missing, is not started in a loop. */
const RESTART_MS = 1_000;

/**
 * Programs that tell of changes. They outlive an overflow of their socket's receive buffer: iproute2 reports it on standard error and goes
 * on, which counts as a change here. nft tells of our table's loss only; the rest of it is found by the periodic comparison.
 */
const MONITORS: readonly {
  readonly argv: readonly [string, ...string[]];
  readonly concerns: (line: string) => boolean;
}[] = [
  { argv: ["ip", "-oneline", "monitor", "link", "address", "route", "rule", "netconf"], concerns: () => true },
  { argv: ["bridge", "monitor", "fdb"], concerns: (line) => line.includes(" dst ") },
  { argv: ["nft", "monitor", "destroy"], concerns: (line) => line.includes(nftTableName) },
];

export interface KernelMonitor {
  close(): void;
}

/**
 * Calls `onChange` some milliseconds after anything in the kernel changed that may concern us, and whenever changes may have been
 * missed. It only says "compare"; it does not say what changed.
 */
export function monitorKernel(onChange: () => void): KernelMonitor {
  const children = new Set<ChildProcess>();
  const restarts = new Set<NodeJS.Timeout>();
  let closed = false;
  let pending: NodeJS.Timeout | undefined;
  let firstEvent = 0;

  const notify = () => {
    if (closed) return;
    const now = Date.now();
    if (pending === undefined) firstEvent = now;
    clearTimeout(pending);
    const delay = Math.max(0, Math.min(DEBOUNCE_MS, firstEvent + MAX_DELAY_MS - now));
    pending = setTimeout(() => {
      pending = undefined;
      onChange();
    }, delay);
  };

  const start = (argv: readonly [string, ...string[]], concerns: (line: string) => boolean) => {
    const [program, ...args] = argv;
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    children.add(child);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (concerns(line)) notify();
    });
    child.stderr.on("data", notify);
    let gone = false;
    const restart = () => {
      if (gone) return;
      gone = true;
      children.delete(child);
      if (closed) return;
      notify();
      const timer = setTimeout(() => {
        restarts.delete(timer);
        start(argv, concerns);
        // What happened while nobody listened.
        notify();
      }, RESTART_MS);
      restarts.add(timer);
    };
    child.on("error", restart);
    child.on("exit", restart);
  };

  for (const { argv, concerns } of MONITORS) start(argv, concerns);
  return {
    close() {
      closed = true;
      clearTimeout(pending);
      for (const timer of restarts) clearTimeout(timer);
      for (const child of children) child.kill();
    },
  };
}
