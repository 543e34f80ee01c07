import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { describe, it } from "node:test";
import { InterruptedNode, RESTARTS, TRANSITIONS } from "../kernel/interrupted-apply.js";

describe("E4: an agent that is killed at any step, followed by any start", {
  concurrency: availableParallelism(),
}, () => {
  for (const transition of TRANSITIONS) {
    it(transition.name, async (t) => {
      const node = await InterruptedNode.start();
      try {
        const operations = await node.undisturbed(transition);
        assert.ok(operations.length >= 10, `only ${operations.length} operations`);
        for (const point of operations.keys()) {
          for (const restart of RESTARTS) {
            await t.test(`killed after ${point + 1}, ${operations[point]}; started ${restart.name}`, () =>
              node.interrupt(transition, point + 1, restart.goal(transition)),
            );
          }
        }
        await node.isUntouched();
      } finally {
        await node.end();
      }
    });
  }
});
