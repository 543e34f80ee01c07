import { spawn } from "node:child_process";
import { once } from "node:events";

/** How long the lock may take before the person is told that somebody else holds it. */
const PATIENCE_MS = 1_000;

/**
 * Runs `work` while holding an exclusive lock on a file. The lock is the kernel's (flock(2)), kept by a child that ends when this
 * process does, so that no killed run leaves a stale lock, and it holds between PID namespaces too.
 *
 * @param onWait called once when another process holds the lock
 */
export async function withFileLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const keeper = spawn("flock", ["--exclusive", file, "sh", "-c", "echo held && exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<never>((_, reject) => {
    keeper.once("error", (error) => reject(new Error(`flock of ${file}: ${error.message}; install util-linux`)));
    keeper.once("exit", (code) => reject(new Error(`flock of ${file} ended with ${code}; is its folder writable?`)));
  });
  const patience = setTimeout(onWait, PATIENCE_MS);
  try {
    await Promise.race([once(keeper.stdout, "data"), ended]);
  } finally {
    clearTimeout(patience);
  }
  // From here on its end is our own doing.
  ended.catch(() => undefined);
  try {
    return await work();
  } finally {
    keeper.stdin.end();
  }
}
