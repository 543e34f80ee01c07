import { closeSync, writeSync } from "node:fs";
import { getSystemErrorName } from "node:util";
import koffi from "koffi";

/** linux/memfd.h: the descriptor is not passed on to programs, but as the standard input for which it was made. */
const closeOnExec = 1;

const memfdCreate = koffi.load("libc.so.6").func("int memfd_create(const char *name, unsigned int flags)");

/**
 * A file in memory that a program reads as its standard input. A pipe would hold only the first 150 kB or so of a large batch when
 * the agent is killed, and iproute2 carries out the beginning of a command that is cut off: `route add … table 2`, without our
 * protocol number.
 *
 * @returns its descriptor, to be closed when the program has been started
 */
export function inputFile(text: string): number {
  const descriptor = Number(memfdCreate("input", closeOnExec));
  if (descriptor < 0) throw new Error(`memfd_create: ${getSystemErrorName(-koffi.errno())}`);
  try {
    // By position: what reads it shares the offset, and begins at the start.
    const bytes = Buffer.from(text);
    let written = 0;
    while (written < bytes.length) written += writeSync(descriptor, bytes, written, bytes.length - written, written);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
