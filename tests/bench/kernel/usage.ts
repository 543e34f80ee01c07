import { readFileSync } from "node:fs";
import type { Memory } from "./measurement.js";

/** What some work took. */
export interface Usage {
  /** Milliseconds. */
  readonly wall: number;
  /** Milliseconds of processor time, of this process and of the programs that it started and saw end. */
  readonly cpu: number;
}

/** USER_HZ, in which /proc/PID/stat counts (proc(5)); 100 on every architecture that Linux runs Node on. */
const ticksPerSecond = 100;

export async function usageOf<T>(work: () => Promise<T>): Promise<{ readonly usage: Usage; readonly result: T }> {
  const cpuBefore = processorTime();
  const start = performance.now();
  const result = await work();
  return { usage: { wall: performance.now() - start, cpu: processorTime() - cpuBefore }, result };
}

/** Milliseconds, with those of ended children (fields utime, stime, cutime, cstime of proc(5)). */
function processorTime(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name in parentheses may hold blanks; the third field follows it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / ticksPerSecond;
}

/** Resident memory of this process in MiB. */
export function residentMemory(): number {
  return process.memoryUsage().rss / 1024 / 1024;
}

/** The middle one by the time that passed. */
export function median(usages: readonly Usage[]): Usage {
  const sorted = usages.toSorted((left, right) => left.wall - right.wall);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}

/** Of a measuring process at its end. */
export function memorySince(size: number, beforehand: number): Memory {
  return { size, beforehand, afterwards: residentMemory(), highest: process.resourceUsage().maxRSS / 1024 };
}
