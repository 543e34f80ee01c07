import assert from "node:assert/strict";
import { it } from "node:test";
import { GOALS, InterruptedAgentNode, STATE_FILES } from "../kernel/interrupted-agent-node.js";

it("E4: a whole agent that is killed at any command, with any state files, is followed by one that finds its way", async (t) => {
  const node = await InterruptedAgentNode.start();
  try {
    const commands = await node.undisturbed();
    assert.ok(commands.length >= 20, `only ${commands.length} commands`);
    for (const point of commands.keys()) {
      // Each start with all files once in as many points: all together would take hours.
      const files = STATE_FILES[point % STATE_FILES.length];
      assert.ok(files !== undefined);
      for (const goal of GOALS) {
        await t.test(`killed after ${point + 1}, ${commands[point]}; files ${files}; then ${goal}`, () =>
          node.interrupt(point + 1, files, goal),
        );
      }
    }
  } finally {
    await node.end();
  }
});
