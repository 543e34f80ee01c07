import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DEVICES, GOALS, InterruptedForwardingNode } from "./interrupted-forwarding.js";

/** All moments, and every start after each, are in tests/nightly. */
describe("E4, C2: an agent that was killed while it wrote what EVPN routes ask for is followed by one that finds its way", () => {
  let node: InterruptedForwardingNode;
  before(async () => {
    node = await InterruptedForwardingNode.start();
  });
  after(() => node.end());

  for (const device of DEVICES) {
    it(device, async (t) => {
      const operations = await node.undisturbed(device);
      assert.ok(operations.length >= 5, `only ${operations.length} operations`);
      for (const [turn, goal] of GOALS.entries()) {
        // A quarter, half and three quarters of the way.
        const point = Math.ceil(((turn + 1) / (GOALS.length + 1)) * operations.length);
        await t.test(`killed after ${operations[point - 1]}; then ${goal}`, () => node.interrupt(device, point, goal));
      }
    });
  }
});
