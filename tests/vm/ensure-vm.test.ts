import assert from "node:assert/strict";
import { test } from "node:test";
import { createProgress } from "../../lab/progress.js";
import { ensureVm } from "../../lab/vm/index.js";

test("a machine without QEMU is told what to install", async () => {
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  try {
    await assert.rejects(
      ensureVm(createProgress({ write: () => undefined })),
      /^Error: the virtual machine needs Debian packages that are not installed: run apt-get install qemu-system-x86 /,
    );
  } finally {
    process.env.PATH = path;
  }
});
