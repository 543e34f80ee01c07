import { accessSync, constants } from "node:fs";
import { join } from "node:path";

/** System programs are there even where PATH lacks them, as it does for `su` and for services. */
const SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/**
 * Absolute path of a program that a Debian package of the lab brings.
 *
 * @throws when it is not installed
 */
export function findProgram(name: string): string {
  const path = SYSTEM_FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
  if (path === undefined)
    throw new Error(
      `the program ${name} is not in ${SYSTEM_FOLDERS.join(", ")}: install the Debian package that has it`,
    );
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
