import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceLines } from "../../../../lab/images/debian/debian-sources.js";

/** What `apt-get indextargets` printed on a Debian 12 that also uses an archive of somebody else. */
const TARGETS = `DEP-11 http://mirror.test/debian/ bookworm main
Packages http://mirror.test/debian/ bookworm main
Packages http://mirror.test/debian/ bookworm contrib
Packages http://mirror.test/debian/ bookworm-updates main
Packages http://mirror.test/debian-security/ bookworm-security main
Packages https://vendor.test/apt cloud-bookworm main
Packages http://mirror.test/debian/ bookworm-backports main
Translations http://mirror.test/debian/ bookworm main
`;

test("Debian's own archive with its updates, from where the machine has them, and nobody else's", () => {
  assert.deepEqual(sourceLines(TARGETS), [
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.test/debian-security/ bookworm-security main",
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.test/debian/ bookworm main",
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.test/debian/ bookworm-updates main",
  ]);
});

test("a machine of another release gets the remedy", () => {
  assert.throws(
    () => sourceLines("Packages http://mirror.test/debian/ trixie main\n"),
    /bookworm main.*sources\.list\.d/,
  );
});
