import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { guestJobScript, shellQuote } from "../../../../lab/vm/guest-job.js";
import { parseKernelDependency } from "../../../../lab/vm/kernel.js";
import { mountsToShare, parseMountPoints } from "../../../../lab/vm/shared-mounts.js";

describe("Debian's kernel", () => {
  test("is what the metapackage depends on", () => {
    const text = "linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-57-cloud-amd64\n";
    assert.equal(parseKernelDependency(text), "linux-image-6.1.0-57-cloud-amd64");
  });
  test("is unknown without package lists", () => assert.equal(parseKernelDependency(""), undefined));
});

describe("mounts that the guest sees", () => {
  test("those that lead to a needed path, outer ones first", () => {
    const mounts = ["/", "/proc", "/home", "/home/user/.cache", "/home/username", "/srv"];
    assert.deepEqual(mountsToShare(mounts, ["/home/user/.cache/vlan-router", "/work"]), ["/home", "/home/user/.cache"]);
  });

  test("are read from mountinfo (example of proc_pid_mountinfo(5), and one with a blank)", () => {
    const text =
      "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n" +
      "37 35 98:1 / /media/my\\040disk rw - ext4 /dev/sdb rw\n";
    assert.deepEqual(parseMountPoints(text), ["/mnt2", "/media/my disk"]);
  });
});

describe("the guest's job", () => {
  test("is a shell script", () => {
    const script = guestJobScript(
      { argv: ["node", "it's.js"], cwd: "/a b", env: { NAME: "x y" } },
      "/cache/lib/modules",
    );
    assert.equal(
      script,
      "set -e\nmkdir -p /lib/modules\nmount --bind '/cache/lib/modules' /lib/modules\nexport NAME='x y'\n" +
        "cd '/a b'\nexec 'node' 'it'\\''s.js'\n",
    );
  });
  test("quotes for a POSIX shell", () => assert.equal(shellQuote("$HOME `x` \\"), "'$HOME `x` \\'"));
});
