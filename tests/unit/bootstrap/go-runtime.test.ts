import assert from "node:assert/strict";
import { test } from "node:test";
import { goComplaint } from "../../../lab/bootstrap/go-runtime.mjs";

test("a new enough Go is welcome, whatever GOTOOLCHAIN says", () => {
  assert.equal(goComplaint({ version: "go version go1.26.6 linux/amd64", toolchain: "local" }), undefined);
  assert.equal(goComplaint({ version: "go version go1.27.0 linux/amd64", toolchain: "local" }), undefined);
});

test("an older Go is welcome when it may fetch a newer toolchain by itself", () => {
  assert.equal(goComplaint({ version: "go version go1.24.4 linux/amd64", toolchain: "auto" }), undefined);
  assert.equal(goComplaint({ version: "go version go1.24.4 linux/amd64", toolchain: "go1.24.4+auto" }), undefined);
});

test("an older Go that may not, or cannot, is refused with the version to install", () => {
  const refused = [
    { version: "go version go1.24.4 linux/amd64", toolchain: "local" },
    { version: "go version go1.24.4 linux/amd64", toolchain: "path" },
    // Debian 12: from before Go could do that. It prints an empty line for a variable that it does not know.
    { version: "go version go1.19.8 linux/amd64", toolchain: "" },
    { version: "go version go1.20.1 linux/amd64", toolchain: "auto" },
  ];
  for (const go of refused) assert.match(goComplaint(go) ?? "", /too old.* Install Go 1\.26\.6 or newer/, go.version);
});

test("a Go without a version number is refused", () => {
  assert.match(goComplaint({ version: "go version devel", toolchain: "auto" }) ?? "", /does not name a Go version/);
});
