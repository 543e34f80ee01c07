import { readFileSync } from "node:fs";

/**
 * The password in a file, without the line break that editors add. Read anew for each connection, so that a new password
 * counts from the next one on.
 *
 * @throws Error with the path and the reason; never with what the file holds
 */
export function readPassword(path: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(
      `cannot read the BGP password in ${path}: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`,
    );
  }
  const text = bytes.toString("latin1");
  return Buffer.from(text.replace(/\r?\n$/, ""), "latin1");
}
