import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { DebianFiles } from "../../../../lab/images/debian/debian-files.js";

const scratch = mkdtempSync(join(tmpdir(), "debian-files-"));
after(() => rmSync(scratch, { recursive: true }));

function unpacked(name: string, files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  const folder = join(scratch, name);
  const place = (path: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    return join(folder, path);
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(place(path), content);
  for (const [path, target] of Object.entries(links)) symlinkSync(target, place(path));
  return { name, version: "1", file: `${name}.deb`, folder };
}

const packages = [
  unpacked(
    "libfoo1",
    { "usr/lib/x/libfoo.so.1.2": "foo" },
    { "usr/lib/x/libfoo.so.1": "libfoo.so.1.2", "usr/share/doc/libfoo1": "foo-base" },
  ),
  unpacked("foo-base", { "usr/share/doc/foo-base/copyright": "MIT" }),
  unpacked("tool", { "sbin/tool": "tool" }, { "usr/bin/alias": "/sbin/tool", "etc/loop": "loop" }),
  unpacked("unused", { "usr/share/unused": "" }),
];

test("programs of the old and the merged folders, and libraries by the name that programs ask for", () => {
  const files = new DebianFiles(packages);
  assert.equal(files.program("tool").source, join(scratch, "tool/sbin/tool"));
  assert.equal(files.program("alias").source, join(scratch, "tool/sbin/tool"));
  assert.equal(
    files.library("libfoo.so.1", ["lib/x", "usr/lib/x"]).source,
    join(scratch, "libfoo1/usr/lib/x/libfoo.so.1.2"),
  );
  assert.deepEqual(
    files.used.map(({ name }) => name),
    ["libfoo1", "tool"],
  );
});

test("a folder can be a link into another package", () => {
  const files = new DebianFiles(packages);
  const found = files.file("usr/share/doc/libfoo1/copyright");
  assert.equal(found.source, join(scratch, "foo-base/usr/share/doc/foo-base/copyright"));
  assert.equal(found.package.name, "foo-base");
});

test("what no package has is named, with where it was looked for", () => {
  const files = new DebianFiles(packages);
  assert.throws(() => files.library("libbar.so.2", ["lib/x"]), /shared library libbar\.so\.2: .* lib\/x of libfoo1 /);
  assert.throws(() => files.program("missing"), /program missing/);
  assert.throws(() => files.file("etc/loop"), /etc\/loop .* itself/);
});
