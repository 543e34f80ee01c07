import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import { FollowedNode } from "./followed-node.js";
import { monotonicTime, type Pass } from "./remote-reconciler.js";

/** Milliseconds between two repairs of a network that another program keeps undoing. */
const slowPace = 10_000;

describe("E1: a program that deletes whatever we write", () => {
  let followed: FollowedNode;

  before(async () => {
    followed = await FollowedNode.start();
    // A process has the name of its file, cut to 15 characters, as systemd-networkd's is.
    await followed.shell("cp /bin/sleep /run/systemd-network");
    followed.node.spawn("n1", ["/run/systemd-network", "600"], { stdio: "ignore" });
  });
  after(() => followed?.end());

  const contested = ({ conflicts }: Pass): boolean =>
    conflicts.some(({ reason }) => reason === "RemovedByAnotherProgram");

  it("is met 20 times in a minute, then named with its setting; repairs go on slowly, and win when it stops", async () => {
    const start = monotonicTime();
    const rival = followed.node.spawn(
      "n1",
      ["sh", "-c", "while sleep 0.1; do ip rule flush protocol 118; [ -e /run/stop ] && exit; done"],
      { stdio: "ignore" },
    );
    const named = await waitFor("the condition", async () => (await followed.reconciler.passes()).find(contested), {
      timeout: 60_000,
    });
    const repairs = (await followed.reconciler.repairs()).filter(({ at }) => at > start && at <= named.at);
    console.log(`the condition came after ${repairs.length} repairs and ${((named.at - start) / 1000).toFixed(1)} s`);
    assert.equal(repairs.length, 20);
    assert.match(
      named.conflicts[0]?.message ?? "",
      /^rules had to be put back 20 times within 60 s: .* systemd-networkd runs: set ManageForeignRoutingPolicyRules=no/,
    );

    await sleep(slowPace / 2);
    const fast = (await followed.reconciler.repairs()).filter(({ at }) => at > named.at);
    assert.deepEqual(fast, [], "no repair within half of the slow pace");

    await followed.shell("touch /run/stop");
    await waitFor("the rival's end", async () => rival.exitCode !== null);
    await waitFor("the state as before", () => followed.stands(), { timeout: 2 * slowPace });
    // The state is back some milliseconds before the repair is told.
    const slow = await waitFor("the repair", async () =>
      (await followed.reconciler.repairs()).find(({ at }) => at > named.at),
    );
    const distance = slow.at - (repairs.at(-1)?.at ?? 0);
    console.log(`the next repair came ${(distance / 1000).toFixed(1)} s after the last`);
    assert.ok(distance > slowPace - 500, `${distance} ms`);
  });
});

describe("E1: a program that puts in again what has our protocol number and is in no plan", () => {
  let followed: FollowedNode;

  before(async () => {
    followed = await FollowedNode.start();
  });
  after(() => followed?.end());

  /** In a form that we never write, for our prefix; and in ours, for what is no network's. */
  const stray = "priority 4016 from 203.0.113.0/24 tos 0x10 protocol 118 lookup 228";
  const departed = "priority 4016 from 192.0.2.0/24 protocol 118 lookup 9";

  it("is met 20 times in a minute, then named at network and node; removals go on slowly, and win when it stops", async () => {
    const start = monotonicTime();
    const put = [stray, departed].map((rule) => `ip rule add ${rule} 2>/dev/null`).join("; ");
    const rival = followed.node.spawn(
      "n1",
      ["sh", "-c", `while sleep 0.1; do ${put}; [ -e /run/stop ] && exit; done`],
      {
        stdio: "ignore",
      },
    );
    const isNamed = ({ conflicts, stays }: Pass): boolean => conflicts.length > 0 && stays.length > 0;
    const named = await waitFor("both conditions", async () => (await followed.reconciler.passes()).find(isNamed), {
      timeout: 60_000,
    });
    const removals = (await followed.reconciler.repairs()).filter(({ at }) => at > start && at <= named.at);
    console.log(`both conditions came after ${removals.length} passes and ${((named.at - start) / 1000).toFixed(1)} s`);
    // The two may be seen first in different passes.
    assert.ok(removals.length >= 20 && removals.length <= 22, `${removals.length} passes`);
    const message = (command: string) =>
      new RegExp(
        "^another program puts in again what has this agent's protocol number 118 or its marks and belongs to no plan: " +
          `20 times within 60 s it was removed, with: ip -4 rule del ${command}; neither systemd-networkd nor NetworkManager`,
      );
    assert.deepEqual(
      [named.conflicts.map(({ reason }) => reason), named.stays.map(({ reason, network }) => [reason, network])],
      [["AddedByAnotherProgram"], [["AddedByAnotherProgram", undefined]]],
    );
    assert.match(
      named.conflicts[0]?.message ?? "",
      message("priority 4016 protocol 118 from 203.0.113.0/24 tos 0x10 lookup 228"),
    );
    assert.match(named.stays[0]?.message ?? "", message("priority 4016 from 192.0.2.0/24 protocol 118 lookup 9"));

    await sleep(slowPace / 2);
    const after = (await followed.reconciler.passes()).filter(({ at }) => at > named.at);
    assert.deepEqual(
      after.flatMap(({ repaired }) => repaired),
      [],
      "no removal within half of the slow pace",
    );
    // What stands cannot be put in once more, so that there is nothing to look at.
    assert.ok(after.length <= 3, `${after.length} passes`);

    await followed.shell("touch /run/stop");
    await waitFor("the rival's end", async () => rival.exitCode !== null);
    await waitFor("the state as before", () => followed.stands(), { timeout: 2 * slowPace });
  });
});
