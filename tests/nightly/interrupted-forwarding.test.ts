import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEVICES, GOALS, InterruptedForwardingNode } from "../kernel/interrupted-forwarding.js";

describe("E4, C2: an agent that is killed at any forwarding entry, followed by any routes", () => {
  for (const device of DEVICES) {
    it(device, async (t) => {
      const node = await InterruptedForwardingNode.start();
      try {
        const operations = await node.undisturbed(device);
        assert.ok(operations.length >= 5, `only ${operations.length} operations`);
        for (const point of operations.keys()) {
          for (const goal of GOALS) {
            await t.test(`killed after ${point + 1}, ${operations[point]}; then ${goal}`, () =>
              node.interrupt(device, point + 1, goal),
            );
          }
        }
      } finally {
        await node.end();
      }
    });
  }
});
