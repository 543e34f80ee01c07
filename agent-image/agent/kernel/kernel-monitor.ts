import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { EventInterest } from "./event-interest.js";
import { type Concerns, fdbLineConcerns, ipLineConcerns, isHostLine, nftLineConcerns } from "./monitor-lines.js";
import type { Pace } from "./pace.js";
import { endingWithParent } from "./parent-death.js";

/** Milliseconds until a monitor that ended is started again; each time twice as long, as the program may be missing. */
const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 30_000;
/** Milliseconds that a monitor has to live for its next end to count as the first again. */
const STEADY_MS = 10_000;
/** Milliseconds after the start of a program in which it has opened its socket, on a busy node too. */
const OPEN_MS = 300;

interface Monitor {
  readonly argv: readonly [string, ...string[]];
  readonly concerns: Concerns;
  /** Lines that tell of hosts behind a bridge. */
  readonly hosts?: Concerns;
}

/**
 * Programs that tell of changes. They outlive an overflow of their socket's receive buffer: they report it on standard error (iproute2) or
 * in a line of its own (nft) and go on, and a comparison then finds what was missed.
 *
 * nft prints one kind of object each, and no elements: those of sets change by the thousand where kube-proxy uses nftables. Rules
 * alone do not do, for the policy of a chain and the flag `dormant` of a table change what the same rules do (measured: the
 * monitor of rules says nothing of either).
 */
const MONITORS: readonly Monitor[] = [
  {
    argv: ["ip", "-oneline", "-Numeric", "monitor", "link", "address", "route", "rule", "netconf"],
    concerns: ipLineConcerns,
  },
  { argv: ["bridge", "monitor", "fdb"], concerns: fdbLineConcerns, hosts: isHostLine },
  { argv: ["nft", "monitor", "rules"], concerns: nftLineConcerns },
  { argv: ["nft", "monitor", "chains"], concerns: nftLineConcerns },
  { argv: ["nft", "monitor", "tables"], concerns: nftLineConcerns },
];

export interface KernelMonitor {
  close(): void;
}

/**
 * Tells `pace` of whatever happens in the kernel that may concern us, and whenever something may have been missed. It does not say
 * what changed: a pass compares everything.
 *
 * @param interest undefined while nothing is known of a plan; then everything concerns us
 * @param onHosts hosts have come to a bridge of ours or gone, or that may have been missed
 */
export function monitorKernel(
  pace: Pick<Pace, "event" | "close">,
  interest: () => EventInterest | undefined,
  monitors: readonly Monitor[] = MONITORS,
  onHosts: () => void = () => undefined,
): KernelMonitor {
  const supervisors = monitors.map(
    ({ argv, concerns, hosts }) =>
      new Supervisor(
        argv,
        (line) => {
          const current = interest();
          if (current === undefined || concerns(line, current)) pace.event();
          if (current !== undefined && hosts?.(line, current)) onHosts();
        },
        () => {
          pace.event();
          if (hosts !== undefined) onHosts();
        },
      ),
  );
  return {
    close() {
      for (const supervisor of supervisors) supervisor.close();
      pace.close();
    },
  };
}

/** Keeps one program running, and says when its output has a gap. */
class Supervisor {
  private readonly argv: readonly [string, ...string[]];
  private readonly onLine: (line: string) => void;
  private readonly onGap: () => void;
  private child: ChildProcess | undefined;
  private restart: NodeJS.Timeout | undefined;
  private opened: NodeJS.Timeout | undefined;
  private delay = FIRST_RESTART_MS;

  constructor(argv: readonly [string, ...string[]], onLine: (line: string) => void, onGap: () => void) {
    this.argv = argv;
    this.onLine = onLine;
    this.onGap = onGap;
    this.start();
  }

  close(): void {
    clearTimeout(this.restart);
    clearTimeout(this.opened);
    const { child } = this;
    this.child = undefined;
    child?.kill();
  }

  private start(): void {
    const [program, ...args] = endingWithParent(this.argv);
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } });
    this.child = child;
    const started = performance.now();
    createInterface({ input: child.stdout }).on("line", this.onLine);
    child.stderr.on("data", this.onGap);
    const ended = (): void => this.ended(child, performance.now() - started);
    child.on("error", ended);
    child.on("exit", ended);
    // What happened while nobody listened.
    clearTimeout(this.opened);
    this.opened = setTimeout(this.onGap, OPEN_MS);
  }

  /** @param lived milliseconds */
  private ended(child: ChildProcess, lived: number): void {
    if (this.child !== child) return;
    this.child = undefined;
    if (lived >= STEADY_MS) this.delay = FIRST_RESTART_MS;
    this.restart = setTimeout(() => this.start(), this.delay);
    this.delay = Math.min(2 * this.delay, LAST_RESTART_MS);
  }
}
