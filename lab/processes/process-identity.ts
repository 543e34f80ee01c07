import { readFileSync } from "node:fs";

/**
 * A process that cannot be mistaken for another: the kernel reuses pids, but not a pid together with the time at which
 * its process started.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from boot to the start of the process: field 22 of `/proc/PID/stat`, proc(5). */
  readonly startTime: string;
}

/** The identity of the process that has this pid now, or undefined when there is none or it is only waiting to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(pid, stat);
}

export function isAlive(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startTime === process.startTime;
}

/** Reads one `/proc/PID/stat`. The name in brackets may hold blanks and brackets itself, so fields count from the last one. */
export function parseStat(pid: number, stat: string): ProcessIdentity | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/);
  const [state] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined || state === "Z" || state === "X") return undefined;
  return { pid, startTime };
}

export function formatIdentity(process: ProcessIdentity): string {
  return `${process.pid} ${process.startTime}\n`;
}

export function parseIdentity(text: string): ProcessIdentity | undefined {
  const match = /^([1-9]\d*) (\d+)\n?$/.exec(text);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { pid: Number(match[1]), startTime: match[2] };
}

/** The pids of the children that this process has now. */
export function childrenOf(pid: number): readonly number[] {
  const children = readProc(`/proc/${pid}/task/${pid}/children`) ?? "";
  return children.split(" ").filter(Boolean).map(Number);
}

/** The process this many generations below, when all of them exist; each has one child. */
export function descend(pid: number, generations: number): ProcessIdentity | undefined {
  if (generations === 0) return identify(pid);
  const [child] = childrenOf(pid);
  return child === undefined ? undefined : descend(child, generations - 1);
}

/** Signals the process when it is still the same one. Returns whether it was. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined;
    throw error;
  }
}
