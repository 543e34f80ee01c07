import assert from "node:assert/strict";
import { test } from "node:test";
import { missingPackages } from "../../../lab/bootstrap/package-status.mjs";

// As dpkg-query prints it for packages that are installed, removed with their configuration kept, half configured, and only
// known by name; a package that was never heard of is not in the list at all.
const status = `installed iproute2
config-files frr
half-configured containerd
not-installed socat
installed frr-pythontools
`;

test("only what is completely installed counts", () => {
  assert.deepEqual(missingPackages(["iproute2", "frr", "containerd", "socat", "tshark"], status), [
    "frr",
    "containerd",
    "socat",
    "tshark",
  ]);
});

test("all is missing when dpkg knows none of them", () => {
  assert.deepEqual(missingPackages(["frr", "tshark"], ""), ["frr", "tshark"]);
});
