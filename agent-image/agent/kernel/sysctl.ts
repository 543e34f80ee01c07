import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the kernel shows its parameters; in a container the node's own is mounted elsewhere, writable. */
export const SYSCTL_ROOT = "/proc/sys";

/** sysctl(8): dots separate, and a dot inside an interface's name is written as a slash. */
export function sysctlPath(root: string, name: string): string {
  return join(root, ...name.split(".").map((part) => part.replaceAll("/", ".")));
}

/**
 * Undefined when the kernel has no such parameter, for example because the interface is not there. Synchronous: procfs
 * answers from memory, and the way through the thread pool costs ten times as much for the 1500 of 500 networks.
 */
export function readSysctl(root: string, name: string): string | undefined {
  try {
    return readFileSync(sysctlPath(root, name), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** @throws with the remedy when /proc/sys is read-only, as it is in a container without `privileged`. */
export function writeSysctl(root: string, name: string, value: string): void {
  const path = sysctlPath(root, name);
  try {
    writeFileSync(path, value);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "EROFS") throw new Error(`sysctl ${name}=${value}: ${message}`, { cause: error });
    throw new Error(
      `sysctl ${name}=${value}: ${path} is read-only; mount the node's /proc/sys/net writable and name it in SYSCTL_ROOT`,
      { cause: error },
    );
  }
}
