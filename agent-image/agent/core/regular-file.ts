import { constants, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";

/**
 * The text of a regular file, or of one that symbolic links lead to.
 *
 * @throws Error that names the path, also for anything that is no regular file
 */
export async function readRegularFile(path: string): Promise<string> {
  // Before it is opened, which alone does something with a device: a watchdog begins to count.
  const found = await stat(path);
  if (!found.isFile()) {
    throw new Error(`${path} is ${kindOf(found)}; put a regular file there, or a symbolic link to one`);
  }
  // Should it have become a FIFO since: opening one waits until somebody writes, for ever (fifo(7)).
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a directory";
  if (found.isFIFO()) return "a FIFO";
  if (found.isSocket()) return "a socket";
  return "a device";
}
