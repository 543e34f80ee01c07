import assert from "node:assert/strict";
import { test } from "node:test";
import { layerOf, violationsOf } from "../../lint/import-direction.js";

const table = [
  { folder: "core", folders: [], packages: ["zod"] },
  { folder: "edge", folders: ["core"], packages: ["node:*"] },
  { folder: "edge/inner", folders: [], packages: [] },
];

test("the longest folder decides the layer", () => {
  assert.equal(layerOf("edge/inner/a.ts", table)?.folder, "edge/inner");
  assert.equal(layerOf("edge/a.ts", table)?.folder, "edge");
  assert.equal(layerOf("corelike/a.ts", table), undefined);
});

const cases = [
  { file: "edge/a.ts", source: 'import { x } from "../core/x.js";', refused: [] },
  { file: "edge/a.ts", source: 'import fs from "node:fs";', refused: [] },
  { file: "core/a.ts", source: 'import { z } from "zod";', refused: [] },
  { file: "core/deep/a.ts", source: 'import { b } from "../b.js";', refused: [] },
  { file: "core/a.ts", source: 'import { x } from "../edge/x.js";', refused: ["../edge/x.js"] },
  { file: "core/a.ts", source: 'import type { X } from "../edge/x.js";', refused: ["../edge/x.js"] },
  { file: "core/a.ts", source: 'export * from "../edge/x.js";', refused: ["../edge/x.js"] },
  { file: "core/a.ts", source: 'const x = require("node:fs");', refused: ["node:fs"] },
  { file: "core/a.ts", source: 'const x = import("zodlike");', refused: ["zodlike"] },
  { file: "core/a.ts", source: 'config.require("image");', refused: [] },
  { file: "edge/inner/a.ts", source: 'import { x } from "../a.js";', refused: ["../a.js"] },
  { file: "nowhere/a.ts", source: "", refused: [""] },
];

for (const { file, source, refused } of cases) {
  test(`${file}: ${source || "in no layer"}`, () => {
    assert.deepEqual(
      violationsOf(file, source, table).map((violation) => violation.specifier),
      refused,
    );
  });
}
