import { closeSync, fstatSync, mkdirSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import koffi from "koffi";
import { errnoName } from "../announce/errno-name.js";
import { NodeLockError } from "./node-lock-error.js";

/** sys/file.h */
const lockExclusive = 2;
const lockNonBlocking = 4;

/** Milliseconds: short beside the second that an agent takes to start. */
const askAgain = 200;

/** flock(2) without waiting: undefined when the lock is ours now, else the error's name. */
export type TryFlock = (descriptor: number) => string | undefined;

export function nodeLockPath(stateDirectory: string): string {
  return join(stateDirectory, "lock");
}

/**
 * The node's lock, so that an old and a new agent never work at the same time during an update (istio/istio#32809: the
 * old one removes what the new one put). flock(2) goes with the process, however it ends, so no stale lock can stay
 * behind; a file in a directory of root cannot be held by somebody else, as an abstract socket could.
 */
export class NodeLock {
  readonly path: string;
  readonly #flock: TryFlock;
  #held: number | undefined;

  constructor(stateDirectory: string, flock: TryFlock = libcFlock()) {
    this.path = nodeLockPath(stateDirectory);
    this.#flock = flock;
  }

  /**
   * Whether the lock could be taken at once. It is not given back before the process ends, or {@link remove}.
   *
   * @throws NodeLockError when the lock cannot be used at all, which waiting would not change
   */
  tryTake(): boolean {
    for (;;) {
      const descriptor = this.#open();
      let isOurs = false;
      try {
        isOurs = this.#lock(descriptor);
        // A clean-up that ended in between has taken the file away: two programs would each hold a lock of their own.
        if (isOurs && isStillAt(this.path, descriptor)) {
          this.#held = descriptor;
          return true;
        }
      } finally {
        if (this.#held !== descriptor) closeSync(descriptor);
      }
      if (!isOurs) return false;
    }
  }

  /**
   * Resolves when the lock is held. Asks again and again: a thread that waits in flock(2) would keep the process from
   * ending on a signal.
   *
   * @throws NodeLockError as {@link tryTake}
   */
  async take(): Promise<void> {
    while (!this.tryTake()) {
      await sleep(askAgain);
    }
  }

  /** Whether another program holds the lock now. Makes no file. @throws NodeLockError as {@link tryTake} */
  isHeldByAnother(): boolean {
    if (this.#held !== undefined) return false;
    let descriptor: number;
    try {
      descriptor = openSync(this.path, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw new NodeLockError("open", this.path, codeOf(error));
    }
    try {
      return !this.#lock(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /** Gives the lock back and takes its file away. Only its holder may: who waits for it finds out and makes it anew. */
  remove(): void {
    if (this.#held === undefined) throw new Error(`${this.path} is not held by this process`);
    unlinkSync(this.path);
    closeSync(this.#held);
    this.#held = undefined;
  }

  /** Of the open file that is locked. Programs that inherit it hold the lock as well, until they end (flock(2)). */
  get descriptor(): number | undefined {
    return this.#held;
  }

  #open(): number {
    const directory = dirname(this.path);
    try {
      makeDirectory(directory);
    } catch (error) {
      throw new NodeLockError("mkdir", directory, codeOf(error));
    }
    try {
      return openSync(this.path, "a", 0o600);
    } catch (error) {
      throw new NodeLockError("open", this.path, codeOf(error));
    }
  }

  #lock(descriptor: number): boolean {
    for (;;) {
      const error = this.#flock(descriptor);
      if (error === undefined) return true;
      // Both names stand for one number on Linux.
      if (error === "EWOULDBLOCK" || error === "EAGAIN") return false;
      if (error === "EINTR") continue;
      throw new NodeLockError("flock", this.path, error);
    }
  }
}

/** With its parents. Not `recursive`: Node 24 then says ENOENT where the file system is read-only (measured). */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" && statSync(path).isDirectory()) return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function isStillAt(path: string, descriptor: number): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  const held = fstatSync(descriptor);
  return there?.ino === held.ino && there.dev === held.dev;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function libcFlock(): TryFlock {
  const flock = koffi.load("libc.so.6").func("int flock(int fd, int operation)");
  return (descriptor) => (Number(flock(descriptor, lockExclusive | lockNonBlocking)) === 0 ? undefined : errnoName());
}
