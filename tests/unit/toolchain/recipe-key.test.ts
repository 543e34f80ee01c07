import assert from "node:assert/strict";
import { test } from "node:test";
import { recipeKey, toolSetKey } from "../../../lab/toolchain/recipe-key.js";
import type { Tool } from "../../../lab/toolchain/tool.js";

const tool: Tool = {
  name: "etcd",
  version: "v3.6.16",
  source: {
    kind: "package",
    module: { path: "go.etcd.io/etcd/server/v3", version: "v3.6.16" },
    package: "go.etcd.io/etcd/server/v3",
    replacements: [],
  },
  variables: {},
  installed: { kind: "never", reason: "test" },
};

test("the key names the tool and its version", () => {
  assert.match(recipeKey(tool), /^etcd-v3\.6\.16-[0-9a-f]{10}$/);
});

test("the key changes with all that decides what is built", () => {
  const keys = [
    recipeKey(tool),
    recipeKey({ ...tool, version: "v3.6.17" }),
    recipeKey({ ...tool, variables: { "main.version": "1" } }),
    recipeKey({ ...tool, source: { kind: "own-main", replacements: [], embeds: [] } }),
    recipeKey(tool, "package main"),
  ];
  assert.equal(new Set(keys).size, keys.length);
});

test("the key does not change with where an installed program is looked for", () => {
  assert.equal(recipeKey({ ...tool, installed: { kind: "beside", program: "etcdctl" } }), recipeKey(tool));
});

test("a set of tools has another folder when one of them changes", () => {
  assert.match(toolSetKey(["a"]), /^bin-[0-9a-f]{10}$/);
  assert.notEqual(toolSetKey(["a", "b"]), toolSetKey(["a", "c"]));
});
