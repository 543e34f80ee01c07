import assert from "node:assert/strict";
import { test } from "node:test";
import { isDispensableOf } from "../../../../lab/images/dispensable-files.js";

const kept = [
  "index.js",
  "package.json",
  "LICENSE",
  "LICENSE.md",
  "licence.txt",
  "NOTICE.md",
  "linux_x64/koffi.node",
  "src/koffi/index.cjs",
  "dist/test/run.js",
];
const left = [
  "index.d.ts",
  "README.md",
  "dist/index.js.map",
  "test",
  "node_modules",
  "docs",
  "musl_x64",
  "src/koffi/src/call.cc",
  "vendor/napi.h",
  "binding.gyp",
];

test("what Node loads and what licences ask for stays, the rest goes", () => {
  for (const path of kept) assert.equal(isDispensableOf(path, "amd64"), false, path);
  for (const path of left) assert.equal(isDispensableOf(path, "amd64"), true, path);
});

test("of compiled libraries only the one for the processor", () => {
  const stay = (architecture: "amd64" | "arm64") =>
    ["prebuilds/linux-x64", "prebuilds/linux-arm64", "prebuilds/darwin-arm64"].filter(
      (path) => !isDispensableOf(path, architecture),
    );
  assert.deepEqual(stay("amd64"), ["prebuilds/linux-x64"]);
  assert.deepEqual(stay("arm64"), ["prebuilds/linux-arm64"]);
});
