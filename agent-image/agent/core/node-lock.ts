import { closeSync, fstatSync, mkdirSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import koffi from "koffi";
import { errnoName } from "../system/errno-name.js";
import { describeFlockHolder } from "./lock-holder.js";
import { NodeLockError } from "./node-lock-error.js";

/** sys/file.h */
const lockExclusive = 2;
const lockNonBlocking = 4;

/** Milliseconds: short beside the second that an agent takes to start. */
const askAgain = 200;

/** One inode for each network namespace, whatever name and mount lead to it (namespaces(7)). */
const networkNamespace = "/proc/self/ns/net";

/** flock(2) without waiting: undefined when the lock is ours now, else the error's name. */
export type TryFlock = (descriptor: number) => string | undefined;

export function nodeLockPath(stateDirectory: string): string {
  return join(stateDirectory, "lock");
}

/** What is locked, and who is known to hold it. */
export interface LockBlocker {
  readonly path: string;
  /** `process 4977 (node main.js agent)` */
  readonly holder?: string;
}

export interface NodeLockOptions {
  readonly flock?: TryFlock;
  readonly namespace?: string;
}

/**
 * The node's lock, so that an old and a new agent never work at the same time during an update (istio/istio#32809: the
 * old one removes what the new one put). flock(2) goes with the process, however it ends, so no stale lock can stay
 * behind.
 *
 * Two files are locked. The one in the state directory keeps the files there for one agent. The network namespace keeps the
 * interfaces, routes and rules for one: two agents that were given two state directories, as a DaemonSet's beside a host's,
 * would each remove what the other made. Unlike the first it can be locked by any process of that namespace, which an
 * abstract socket could be too; who does is named.
 */
export class NodeLock {
  /** In the state directory. */
  readonly path: string;
  readonly #namespace: string;
  readonly #flock: TryFlock;
  #held: readonly [file: number, namespace: number] | undefined;

  constructor(stateDirectory: string, { flock = libcFlock(), namespace = networkNamespace }: NodeLockOptions = {}) {
    this.path = nodeLockPath(stateDirectory);
    this.#namespace = namespace;
    this.#flock = flock;
  }

  /**
   * Whether the lock could be taken at once. It is not given back before the process ends, or {@link remove}.
   *
   * @throws NodeLockError when the lock cannot be used at all, which waiting would not change
   */
  tryTake(): boolean {
    const file = this.#takeFile();
    if (file === undefined) return false;
    let namespace: number | undefined;
    try {
      namespace = this.#takeNamespace();
    } finally {
      if (namespace === undefined) closeSync(file);
    }
    if (namespace === undefined) return false;
    this.#held = [file, namespace];
    return true;
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

  /** What another program holds now. Makes no file. @throws NodeLockError as {@link tryTake} */
  blocker(): LockBlocker | undefined {
    if (this.#held !== undefined) return undefined;
    return this.#blockerAt(this.path) ?? this.#blockerAt(this.#namespace);
  }

  /** Gives the lock back and takes its file away. Only its holder may: who waits for it finds out and makes it anew. */
  remove(): void {
    if (this.#held === undefined) throw new Error(`${this.path} is not held by this process`);
    unlinkSync(this.path);
    for (const descriptor of this.#held) closeSync(descriptor);
    this.#held = undefined;
  }

  /** Of the open files that are locked. Programs that inherit them hold the lock as well, until they end (flock(2)). */
  get descriptors(): readonly number[] {
    return this.#held ?? [];
  }

  /** Undefined while another program holds it. */
  #takeFile(): number | undefined {
    for (;;) {
      const descriptor = this.#open();
      let keep = false;
      try {
        if (!this.#lock(descriptor, this.path)) return undefined;
        // A clean-up that ended in between has taken the file away: two programs would each hold a lock of their own.
        keep = isStillAt(this.path, descriptor);
        if (keep) return descriptor;
      } finally {
        if (!keep) closeSync(descriptor);
      }
    }
  }

  /** Undefined while another program holds it. */
  #takeNamespace(): number | undefined {
    const descriptor = openToRead(this.#namespace);
    if (descriptor === undefined) throw new NodeLockError("open", this.#namespace, "ENOENT");
    let keep = false;
    try {
      keep = this.#lock(descriptor, this.#namespace);
      return keep ? descriptor : undefined;
    } finally {
      if (!keep) closeSync(descriptor);
    }
  }

  #blockerAt(path: string): LockBlocker | undefined {
    const descriptor = openToRead(path);
    if (descriptor === undefined) return undefined;
    try {
      if (this.#lock(descriptor, path)) return undefined;
      const holder = describeFlockHolder(fstatSync(descriptor));
      return { path, ...(holder === undefined ? {} : { holder }) };
    } finally {
      closeSync(descriptor);
    }
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

  #lock(descriptor: number, path: string): boolean {
    for (;;) {
      const error = this.#flock(descriptor);
      if (error === undefined) return true;
      // Both names stand for one number on Linux.
      if (error === "EWOULDBLOCK" || error === "EAGAIN") return false;
      if (error === "EINTR") continue;
      throw new NodeLockError("flock", path, error);
    }
  }
}

/** Undefined where nothing is there. */
function openToRead(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new NodeLockError("open", path, codeOf(error));
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
