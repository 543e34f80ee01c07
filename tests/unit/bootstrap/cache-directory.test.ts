import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheDirectory } from "../../../lab/bootstrap/cache-directory.mjs";

test("the cache stands in the home folder, where XDG says, or where the person says", () => {
  assert.equal(cacheDirectory({}, "/home/op"), "/home/op/.cache/vlan-router");
  assert.equal(cacheDirectory({ XDG_CACHE_HOME: "/var/cache" }, "/home/op"), "/var/cache/vlan-router");
  assert.equal(
    cacheDirectory({ XDG_CACHE_HOME: "/var/cache", VLAN_ROUTER_CACHE: "/big/disk" }, "/home/op"),
    "/big/disk",
  );
});

test("empty variables count as unset", () => {
  assert.equal(
    cacheDirectory({ XDG_CACHE_HOME: "", VLAN_ROUTER_CACHE: "" }, "/home/op"),
    "/home/op/.cache/vlan-router",
  );
});
