import { readFileSync, statSync } from "node:fs";

/**
 * The password in a file, without the line break that editors add. Read anew for each connection, so that a new password
 * counts from the next one on.
 *
 * @throws Error with the path and the reason; never with what the file holds
 */
export function readPassword(path: string): Buffer {
  const text = readText(path).toString("latin1");
  return Buffer.from(text.replace(/\r?\n$/, ""), "latin1");
}

function readText(path: string): Buffer {
  const unreadable = (reason: string) => new Error(`cannot read the BGP password in ${path}: ${reason}`);
  try {
    // A FIFO would hold the whole agent until somebody writes to it.
    if (statSync(path).isFile()) return readFileSync(path);
  } catch (error) {
    throw unreadable((error as NodeJS.ErrnoException).code ?? "unknown error");
  }
  throw unreadable("it is not a regular file");
}
