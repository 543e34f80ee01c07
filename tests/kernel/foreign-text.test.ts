import assert from "node:assert/strict";
import { test } from "node:test";
import { FollowedNode } from "./followed-node.js";

test("an interface of others whose alias holds a control character stops neither repair nor clean-up", async () => {
  const followed = await FollowedNode.start(["link set lo alias a\u0001b"]);
  try {
    await followed.repairAfter("ip rule del priority 4017");
    const { errors } = await followed.reconciler.cleanUp();
    assert.deepEqual(errors, []);
    assert.equal(
      await followed.shell("ip -4 rule show; ip -o link show group 118118118"),
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    );
  } finally {
    await followed.end();
  }
});
