import assert from "node:assert/strict";
import { test } from "node:test";
import { renderCases } from "./plan-render-cases.js";
import { describePlanRender, walkOverAllPairs } from "./plan-render-suite.js";

const walk = walkOverAllPairs([undefined, ...renderCases]);

test("the walk goes from every case to every other, and to nothing and back", () => {
  const steps = walk.slice(1).map((stop, index) => `${walk[index]?.name} > ${stop?.name}`);
  assert.deepEqual([renderCases.length, steps.length, new Set(steps).size], [8, 72, 72]);
});

describePlanRender(walk);
