import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedLibraries } from "../../../../lab/images/shared-libraries.js";

test("ldd's list for a dynamic program: what has a path, the loader included", () => {
  // `ldd /usr/bin/dash` on Debian 12.
  const output = `	linux-vdso.so.1 (0x00007ff92b642000)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ff92b42d000)
	/lib64/ld-linux-x86-64.so.2 (0x00007ff92b645000)
`;
  assert.deepEqual(sharedLibraries("dash", output), ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]);
});

for (const output of ["	statically linked\n", ""]) {
  test(`a static program needs none: ${JSON.stringify(output)}`, () => {
    assert.deepEqual(sharedLibraries("busybox", output), []);
  });
}

test("a missing library is an error that names both", () => {
  const output =
    "	libjansson.so.4 => not found\n	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007ff92b42d000)\n";
  assert.throws(() => sharedLibraries("/usr/sbin/nft", output), /\/usr\/sbin\/nft needs .*libjansson\.so\.4/);
});
