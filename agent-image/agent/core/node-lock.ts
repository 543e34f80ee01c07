import { mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import koffi from "koffi";

/** koffi does not export this type under a name. */
type NativeFunction = ReturnType<ReturnType<typeof koffi.load>["func"]>;

/** sys/file.h */
const lockExclusive = 2;
const lockNonBlocking = 4;

/** Milliseconds: short beside the second that an agent takes to start. */
const askAgain = 200;

/**
 * The node's lock, so that an old and a new agent never work at the same time during an update (istio/istio#32809: the
 * old one removes what the new one put). flock(2) goes with the process, however it ends, so no stale lock can stay
 * behind; a file in a directory of root cannot be held by somebody else, as an abstract socket could.
 */
export class NodeLock {
  readonly path: string;
  readonly #descriptor: number;
  readonly #flock: NativeFunction;

  constructor(stateDirectory: string) {
    mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
    this.path = join(stateDirectory, "lock");
    this.#descriptor = openSync(this.path, "a", 0o600);
    this.#flock = koffi.load("libc.so.6").func("int flock(int fd, int operation)");
  }

  /** Whether the lock could be taken at once. It is not given back before the process ends. */
  tryTake(): boolean {
    return Number(this.#flock(this.#descriptor, lockExclusive | lockNonBlocking)) === 0;
  }

  /**
   * Resolves when the lock is held. Asks again and again: a thread that waits in flock(2) would keep the process from
   * ending on a signal.
   */
  async take(): Promise<void> {
    while (!this.tryTake()) {
      await sleep(askAgain);
    }
  }
}
