import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import { FollowedNode } from "./followed-node.js";
import { monotonicTime } from "./remote-reconciler.js";

/** Milliseconds between the ends of two passes at least: the rest after each. */
const rest = 400;
const events = 50_000;

const mac = (index: number): string =>
  `02:00:00:${[16, 8, 0].map((shift) => ((index >> shift) & 0xff).toString(16).padStart(2, "0")).join(":")}`;
const host = (index: number): string => `100.64.${(index >> 8) & 0xff}.${index & 0xff}`;

/** Lines of a batch: as many entries come and go as make the events. */
const batch = (line: (verb: "add" | "del", index: number) => string): string =>
  (["add", "del"] as const)
    .flatMap((verb) => Array.from({ length: events / 2 }, (_, index) => `${line(verb, index)}\n`))
    .join("");

describe("a storm of kernel events", () => {
  let followed: FollowedNode;

  before(async () => {
    followed = await FollowedNode.start([
      "link add flannel.1 type vxlan id 1 dstport 8472 local 10.0.7.5 nolearning",
      "link set flannel.1 up",
    ]);
  });
  after(() => followed?.end());

  /** Passes since a moment, and the milliseconds since. */
  const passesSince = async (start: number) => ({
    passes: (await followed.reconciler.passes()).filter(({ at }) => at > start),
    took: monotonicTime() - start,
  });
  const quiet = () => sleep(2 * rest);

  it(`of ${events} forwarding entries and ${events} routes of others costs few passes`, async () => {
    await quiet();
    const start = monotonicTime();
    const entries = batch((verb, index) => `fdb ${verb} ${mac(index)} dev flannel.1 dst 10.0.7.9`);
    const routes = batch((verb, index) => `route ${verb} ${host(index)} via 10.0.7.9 dev eth0`);
    await Promise.all([
      followed.node.exec("n1", ["bridge", "-batch", "-"], { input: entries }),
      followed.node.exec("n1", ["ip", "-batch", "-"], { input: routes }),
    ]);
    await quiet();
    const { passes, took } = await passesSince(start);
    console.log(`${2 * events} events of others in ${took.toFixed(0)} ms: ${passes.length} passes`);
    // None of them concerns the plan; where the monitor's buffer overflows a pass has to look.
    assert.ok(passes.length <= Math.ceil(took / rest), `${passes.length} passes in ${took} ms`);
    assert.deepEqual(
      passes.flatMap(({ repaired }) => repaired),
      [],
    );
  });

  it("in the midst of it a deleted rule comes back", async () => {
    const routes = batch((verb, index) => `route ${verb} ${host(index)} via 10.0.7.9 dev eth0`);
    const storm = followed.node.exec("n1", ["ip", "-batch", "-"], { input: routes });
    const took = await followed.repairAfter("ip rule del priority 4016");
    await storm;
    console.log(`in a storm of ${events} route events: a rule is back after ${took.toFixed(0)} ms`);
    assert.ok(took < 3_000, `${took} ms`);
  });

  it("of changes in our own table keeps the distance between passes", async () => {
    await quiet();
    const start = monotonicTime();
    const routes = batch((verb, index) => `route ${verb} ${host(index)} via 10.0.7.9 dev eth0 table 228`);
    await followed.node.exec("n1", ["ip", "-batch", "-"], { input: routes });
    await quiet();
    const { passes, took } = await passesSince(start);
    console.log(`${events} events in our table in ${took.toFixed(0)} ms: ${passes.length} passes`);
    assert.ok(passes.length >= 1, "changes in our table are looked at");
    assert.ok(passes.length <= Math.ceil(took / rest), `${passes.length} passes in ${took} ms`);
    await waitFor("the state as before", () => followed.stands());
  });

  it("that kills the monitors loses nothing: they are started again, and what happened meanwhile is put right", async () => {
    const monitors = "for pid in $(ip netns pids n1); do grep -qa monitor /proc/$pid/cmdline && echo $pid; done; true";
    const pidsOf = async () =>
      (await followed.node.exec("admin", ["sh", "-c", monitors])).stdout.trim().split("\n").filter(Boolean);
    for (let time = 0; time < 3; time++) {
      const pids = await waitFor("five monitors", async () => {
        const found = await pidsOf();
        return found.length === 5 && found;
      });
      await followed.node.exec("admin", ["kill", "-KILL", ...pids]);
      const took = await followed.repairAfter("ip rule del priority 4016");
      console.log(`without monitors: a rule is back after ${took.toFixed(0)} ms`);
      assert.ok(took < 5_000, `${took} ms`);
    }
  });
});
