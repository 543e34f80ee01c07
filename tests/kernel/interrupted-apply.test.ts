import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { InterruptedNode, RESTARTS, TRANSITIONS } from "./interrupted-apply.js";

/** After the creation of an interface most is unfinished. All other moments, and every start after each, are in tests/nightly. */
const isCreation = (operation: string): boolean => operation.startsWith("link add ");

describe("E4: an agent that was killed in the middle of a change is followed by one that finds its way", () => {
  let node: InterruptedNode;
  let turn = 0;
  before(async () => {
    node = await InterruptedNode.start();
  });
  after(() => node.end());

  for (const transition of TRANSITIONS) {
    it(transition.name, async (t) => {
      const operations = await node.undisturbed(transition);
      const creations = operations.flatMap((operation, index) => (isCreation(operation) ? [index + 1] : []));
      const points = creations.length > 0 ? creations : [Math.ceil(operations.length / 2)];
      for (const point of points) {
        const restart = RESTARTS[turn++ % RESTARTS.length];
        assert.ok(restart !== undefined);
        await t.test(`killed after ${operations[point - 1]}; started ${restart.name}`, () =>
          node.interrupt(transition, point, restart.goal(transition)),
        );
      }
    });
  }

  it("leaves what belongs to others as it was", () => node.isUntouched());
});
