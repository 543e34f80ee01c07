import { readFileSync, type Stats } from "node:fs";

/** Characters of a command line that tell one program from another. */
const shownLength = 200;

/**
 * Id of the process that took the flock(2) of a file, by the text of /proc/locks, where files are written as
 * MAJOR:MINOR:INODE (proc(5)). Undefined where that process is in another PID namespace, or has ended and left the lock to
 * a program that it started: the kernel shows neither.
 */
export function flockHolder(locks: string, { dev, ino }: Pick<Stats, "dev" | "ino">): number | undefined {
  const device = [major(dev), minor(dev)].map((part) => part.toString(16).padStart(2, "0")).join(":");
  const held = new RegExp(String.raw`^\d+: FLOCK +ADVISORY +WRITE (\d+) ${device}:${ino} `, "m").exec(locks);
  const pid = Number(held?.[1]);
  return pid > 0 ? pid : undefined;
}

/** `process 4977 (node main.js agent)`; undefined where it cannot be seen from here. */
export function describeFlockHolder(file: Pick<Stats, "dev" | "ino">): string | undefined {
  const pid = flockHolder(readFileSync("/proc/locks", "utf8"), file);
  if (pid === undefined) return undefined;
  const command = commandLine(pid);
  return `process ${pid}${command === "" ? "" : ` (${command})`}`;
}

function commandLine(pid: number): string {
  try {
    const argv = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return argv.length > shownLength ? `${argv.slice(0, shownLength)}…` : argv;
  } catch {
    // It has ended since.
    return "";
  }
}

/** As the C library packs them into st_dev (sys/sysmacros.h); the kernel's own numbers have 12 and 20 bits. */
function major(dev: number): number {
  return (dev >>> 8) & 0xfff;
}

function minor(dev: number): number {
  return (dev & 0xff) | ((dev >>> 12) & 0xfff00);
}
