import assert from "node:assert/strict";
import { test } from "node:test";
import { flockHolder } from "../../../../agent-image/agent/core/lock-holder.js";

/** /proc/locks of Linux 6.18; of the last two one waits for the other. */
const locks = `\
1: FLOCK  ADVISORY  WRITE 4977 00:04:4026531833 0 EOF
2: POSIX  ADVISORY  WRITE 4561 fe:00:843966 0 EOF
3: FLOCK  ADVISORY  READ  4562 fe:00:843967 0 EOF
4: FLOCK  ADVISORY  WRITE 0 fe:00:843968 0 EOF
5: FLOCK  ADVISORY  WRITE 4547 103:11:843959 0 EOF
5: -> FLOCK  ADVISORY  WRITE 4600 103:11:843959 0 EOF
`;

/** Numbers of a file system as stat(2) of glibc packs them. */
const cases: readonly (readonly [what: string, dev: number, ino: number, pid: number | undefined])[] = [
  ["a network namespace", 0x4, 4026531833, 4977],
  ["the one that has it, not the one that waits", 0x10311, 843959, 4547],
  ["a lock of another kind", 0xfe00, 843966, undefined],
  ["a lock that is shared", 0xfe00, 843967, undefined],
  ["a process that is not seen from here", 0xfe00, 843968, undefined],
  ["the same inode of another file system", 0xfe01, 4026531833, undefined],
  ["an inode that begins alike", 0x4, 402653183, undefined],
  ["nobody", 0xfe00, 1, undefined],
];
for (const [what, dev, ino, pid] of cases) {
  test(`who holds a lock: ${what}`, () => assert.equal(flockHolder(locks, { dev, ino }), pid));
}
