import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { NodeLock } from "../../../../agent-image/agent/core/node-lock.js";

const otherDirectory = "name another directory with --state-directory (STATE_DIRECTORY)";
const why = "without it two agents could work on this node";

let directory: string;
let state: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "vlan-router-lock-"));
  state = join(directory, "state");
});
afterEach(() => rm(directory, { recursive: true }));

/** A lock whose system call answers in this order. */
function answering(...answers: readonly (string | undefined)[]): NodeLock {
  const left = [...answers];
  return new NodeLock(state, () => left.shift());
}

describe("the node's lock", () => {
  test("is held by one at a time, and waited for", async () => {
    const [first, second] = [new NodeLock(state), new NodeLock(state)];
    assert.equal(first.tryTake(), true);
    assert.equal(second.tryTake(), false);
    assert.deepEqual([first.isHeldByAnother(), second.isHeldByAnother()], [false, true]);
    const taken = second.take();
    first.remove();
    await taken;
    assert.equal(first.tryTake(), false);
    assert.equal(existsSync(join(state, "lock")), true);
  });

  test("is asked for without making anything", () => {
    assert.equal(new NodeLock(state).isHeldByAnother(), false);
    assert.equal(existsSync(state), false);
  });

  test("asking for it does not keep it from whoever comes next", () => {
    const [first, second] = [new NodeLock(state), new NodeLock(state)];
    assert.equal(first.tryTake(), true);
    first.remove();
    assert.equal(second.tryTake(), true);
    assert.equal(first.isHeldByAnother(), true);
    second.remove();
    assert.equal(first.isHeldByAnother(), false);
    assert.equal(first.tryTake(), true);
  });

  // The interleaving that would let two programs each hold a file of the same name.
  test("is not taken by a file that its holder has removed meanwhile", async () => {
    const holder = new NodeLock(state);
    assert.equal(holder.tryTake(), true);
    let removed = false;
    const late = new NodeLock(state, () => {
      if (removed) return undefined;
      removed = true;
      holder.remove();
      return undefined;
    });
    assert.equal(late.tryTake(), true);
    assert.equal(existsSync(join(state, "lock")), true);
  });

  test("only its holder may remove it", () => {
    assert.throws(() => new NodeLock(state).remove(), {
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
      assert.throws(() => answering(code).isHeldByAnother(), { name: "NodeLockError", message });
    });
  }

  test("a file where the state directory should be", async () => {
    await writeFile(state, "");
    assert.throws(() => new NodeLock(state).tryTake(), {
      code: "EEXIST",
      message: `cannot make the state directory ${state}: a file has this name (EEXIST); ${why}; move it away, or ${otherDirectory}`,
    });
    assert.throws(() => new NodeLock(state).isHeldByAnother(), { code: "ENOTDIR" });
  });

  test("a file above the state directory", async () => {
    await writeFile(state, "");
    const below = join(state, "below");
    assert.throws(() => new NodeLock(below).tryTake(), {
      code: "ENOTDIR",
      message: `cannot make the state directory ${below}: a part of this path is not a directory (ENOTDIR); ${why}; move that file away, or ${otherDirectory}`,
    });
  });

  test("a directory in the lock's place", async () => {
    const path = join(state, "lock");
    await mkdir(path, { recursive: true });
    assert.throws(() => new NodeLock(state).tryTake(), {
      code: "EISDIR",
      message: `cannot open the node's lock ${path}: a directory has this name (EISDIR); ${why}; remove it`,
    });
  });
});
