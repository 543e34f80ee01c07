import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import koffi from "koffi";

/** sys/file.h */
const lockExclusive = 2;
const lockNonBlocking = 4;

/**
 * Takes the node's lock, so that an old and a new agent never work at the same time during an update
 * (istio/istio#32809: the old one removes what the new one put). flock(2) goes with the process, however it ends, so
 * no stale lock can stay behind; a file in a directory of root cannot be held by somebody else, as an abstract socket could.
 *
 * @param onWait called once when another agent holds the lock
 * @returns when the lock is held; it is never given back before the process ends
 */
export async function takeNodeLock(stateDirectory: string, onWait: (path: string) => void): Promise<void> {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const path = join(stateDirectory, "lock");
  const descriptor = openSync(path, "a", 0o600);
  const flock = koffi.load("libc.so.6").func("int flock(int fd, int operation)");
  if (Number(flock(descriptor, lockExclusive | lockNonBlocking)) === 0) {
    return;
  }
  onWait(path);
  await new Promise<void>((resolve, reject) => {
    // In a thread of the pool: the loop stays free for signals.
    flock.async(descriptor, lockExclusive, (error: Error | null, result: number) => {
      if (error === null && result === 0) {
        resolve();
      } else {
        reject(new Error(`cannot lock ${path}: ${error?.message ?? "flock failed"}`));
      }
    });
  });
}
