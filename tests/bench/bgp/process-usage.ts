import type { TestNamespaces } from "../../support/namespace.js";

/** What processes have used since their start. */
export interface ProcessUsage {
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Resident memory in MiB: now, and the most that it was. */
  readonly rss: number;
  readonly highest: number;
}

/** USER_HZ, in which /proc/PID/stat counts (proc(5)). */
const ticksPerSecond = 100;

/** Numbers of all processes in the fabric whose command line matches. @throws when there is none */
export async function processesOf(fabric: TestNamespaces, place: string, pattern: string): Promise<readonly string[]> {
  return (await fabric.exec(place, ["pgrep", "-f", pattern])).stdout.trim().split("\n");
}

/** Of these processes together. */
export async function usageOf(
  fabric: TestNamespaces,
  place: string,
  numbers: readonly string[],
): Promise<ProcessUsage> {
  const files = numbers.flatMap((number) => [`/proc/${number}/stat`, `/proc/${number}/status`]);
  const { stdout: text } = await fabric.exec(place, ["cat", ...files]);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const kilobytes = (field: string) =>
    sum([...text.matchAll(new RegExp(`^${field}:\\s+(\\d+) kB`, "gm"))].map(([, value]) => Number(value)));
  // Behind the name in parentheses, which may hold blanks: utime and stime are fields 14 and 15.
  const ticks = [...text.matchAll(/^\d+ \(.*\) (\S.*)$/gm)].map(([, rest = ""]) => {
    const fields = rest.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return { cpu: sum(ticks) / ticksPerSecond, rss: kilobytes("VmRSS") / 1024, highest: kilobytes("VmHWM") / 1024 };
}
