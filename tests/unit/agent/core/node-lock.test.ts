import assert from "node:assert/strict";
import { existsSync, fstatSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { type LockBlocker, NodeLock, type TryFlock } from "../../../../agent-image/agent/core/node-lock.js";

const otherDirectory = "name another directory with --state-directory (STATE_DIRECTORY)";
const why = "without it two agents could work on this node";

let directory: string;
let state: string;
/** Stands for the network namespace, which these tests share with whatever else runs on the machine. */
let namespace: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-lock-"));
  state = join(directory, "state");
  namespace = join(directory, "net");
  await writeFile(namespace, "");
});
afterEach(() => rm(directory, { recursive: true }));

function lockOf(stateDirectory: string, flock?: TryFlock): NodeLock {
  return new NodeLock(stateDirectory, { namespace, ...(flock === undefined ? {} : { flock }) });
}

/** What is said of who holds a lock, where it is this process. */
function assertHeldHere(blocker: LockBlocker | undefined, path: string): void {
  assert.equal(blocker?.path, path);
  assert.ok(blocker.holder?.startsWith(`process ${process.pid} (${process.execPath} `), blocker.holder);
}

/** A lock whose system call answers in this order. */
function answering(...answers: readonly (string | undefined)[]): NodeLock {
  const left = [...answers];
  return lockOf(state, () => left.shift());
}

describe("the node's lock", () => {
  test("is held by one at a time, and waited for", async () => {
    const [first, second] = [lockOf(state), lockOf(state)];
    assert.equal(first.tryTake(), true);
    assert.equal(second.tryTake(), false);
    assert.equal(first.blocker(), undefined);
    assertHeldHere(second.blocker(), join(state, "lock"));
    const taken = second.take();
    first.remove();
    await taken;
    assert.equal(first.tryTake(), false);
    assert.equal(existsSync(join(state, "lock")), true);
  });

  test("is asked for without making anything", () => {
    assert.equal(lockOf(state).blocker(), undefined);
    assert.equal(existsSync(state), false);
  });

  test("asking for it does not keep it from whoever comes next", () => {
    const [first, second] = [lockOf(state), lockOf(state)];
    assert.equal(first.tryTake(), true);
    first.remove();
    assert.equal(second.tryTake(), true);
    assert.equal(first.blocker()?.path, join(state, "lock"));
    second.remove();
    assert.equal(first.blocker(), undefined);
    assert.equal(first.tryTake(), true);
  });

  // The interleaving that would let two programs each hold a file of the same name.
  test("is not taken by a file that its holder has removed meanwhile", async () => {
    const holder = lockOf(state);
    assert.equal(holder.tryTake(), true);
    let removed = false;
    const late = lockOf(state, () => {
      if (removed) return undefined;
      removed = true;
      holder.remove();
      return undefined;
    });
    assert.equal(late.tryTake(), true);
    assert.equal(existsSync(join(state, "lock")), true);
  });

  test("is one for a network namespace, whatever the state directories", () => {
    const [first, second] = [lockOf(state), lockOf(join(directory, "other"))];
    assert.equal(first.tryTake(), true);
    assert.equal(second.tryTake(), false);
    assertHeldHere(second.blocker(), namespace);
    // Who waits holds nothing, so that a clean-up of its directory is not told of an agent that works there.
    assert.equal(lockOf(join(directory, "other")).blocker()?.path, namespace);
    first.remove();
    assert.equal(second.blocker(), undefined);
    assert.equal(second.tryTake(), true);
  });

  test("holds two files, for programs to inherit", () => {
    const lock = lockOf(state);
    assert.deepEqual(lock.descriptors, []);
    lock.tryTake();
    const [file = -1, net = -1] = lock.descriptors;
    assert.deepEqual(
      [file, net].map((descriptor) => fstatSync(descriptor).ino),
      [join(state, "lock"), namespace].map((path) => statSync(path).ino),
    );
  });

  test("only its holder may remove it", () => {
    assert.throws(() => lockOf(state).remove(), {
      message: `${join(state, "lock")} is not held by this process`,
    });
  });
});

describe("a lock that cannot be used is no lock that another holds", () => {
  test("EWOULDBLOCK alone says held; a signal is no answer", () => {
    assert.equal(answering("EWOULDBLOCK").tryTake(), false);
    assert.equal(answering("EAGAIN").tryTake(), false);
    assert.equal(answering("EINTR", "EINTR", "EWOULDBLOCK").tryTake(), false);
    assert.equal(answering("EINTR", undefined).tryTake(), true);
  });

  for (const [code, text] of [
    ["ENOLCK", `the file system has no locks to give (ENOLCK); ${why}; use a local file system: ${otherDirectory}`],
    ["EOPNOTSUPP", `the file system has no locks (EOPNOTSUPP); ${why}; use a local file system: ${otherDirectory}`],
    [
      "errno 77",
      "unexpected (errno 77); without it two agents could work on this node; look at the path with: ls -ld ",
    ],
  ] as const) {
    test(`flock answers ${code}`, async () => {
      const path = join(state, "lock");
      const message = `cannot lock ${path}: ${text}${code === "errno 77" ? path : ""}`;
      assert.throws(() => answering(code).tryTake(), { name: "NodeLockError", message });
      await assert.rejects(answering("EWOULDBLOCK", code).take(), { name: "NodeLockError", message });
      await writeFile(path, "");
      assert.throws(() => answering(code).blocker(), { name: "NodeLockError", message });
    });
  }

  test("a file where the state directory should be", async () => {
    await writeFile(state, "");
    assert.throws(() => lockOf(state).tryTake(), {
      code: "EEXIST",
      message: `cannot make the state directory ${state}: a file has this name (EEXIST); ${why}; move it away, or ${otherDirectory}`,
    });
    assert.throws(() => lockOf(state).blocker(), { code: "ENOTDIR" });
  });

  test("a file above the state directory", async () => {
    await writeFile(state, "");
    const below = join(state, "below");
    assert.throws(() => lockOf(below).tryTake(), {
      code: "ENOTDIR",
      message: `cannot make the state directory ${below}: a part of this path is not a directory (ENOTDIR); ${why}; move that file away, or ${otherDirectory}`,
    });
  });

  test("a directory in the lock's place", async () => {
    const path = join(state, "lock");
    await mkdir(path, { recursive: true });
    assert.throws(() => lockOf(state).tryTake(), {
      code: "EISDIR",
      message: `cannot open the node's lock ${path}: a directory has this name (EISDIR); ${why}; remove it`,
    });
  });

  test("a network namespace that cannot be locked leaves the state directory's lock to others", () => {
    assert.throws(() => answering(undefined, "ENOSYS").tryTake(), {
      code: "ENOSYS",
      message: `cannot lock ${namespace}: the kernel or its sandbox has no flock(2) (ENOSYS); ${why}; allow this system call (seccomp)`,
    });
    assert.equal(lockOf(state).tryTake(), true);
  });

  test("without /proc there is no telling which network namespace this is", () => {
    const without = new NodeLock(state, { namespace: join(directory, "no", "net") });
    assert.throws(() => without.tryTake(), {
      code: "ENOENT",
      message: `cannot open the node's lock ${join(directory, "no", "net")}: there is nothing (ENOENT); ${why}; mount /proc`,
    });
  });
});
