import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RepairLimit } from "../../../../agent-image/agent/kernel/repair-limit.js";

/** As many repairs, one every `pace` milliseconds; returns when the last one was. */
function repair(limit: RepairLimit, count: number, pace: number): number {
  for (let index = 0; index < count; index++) limit.repaired(index * pace, ["rules"]);
  return (count - 1) * pace;
}

describe("E1: whether a network may be repaired now", () => {
  test("19 repairs within a minute are made at once", () => {
    const limit = new RepairLimit();
    const last = repair(limit, 19, 500);
    assert.equal(limit.wait(last + 1), 0);
    assert.deepEqual(limit.contestedKinds(last), new Set());
  });

  test("the 20th within a minute shows another program at work: from then on one in 10 s", () => {
    const limit = new RepairLimit();
    const last = repair(limit, 20, 500);
    assert.deepEqual(limit.contestedKinds(last), new Set(["rules"]));
    assert.equal(limit.wait(last + 400), 9600);
    assert.equal(limit.wait(last + 10_000), 0);
    limit.repaired(last + 10_000, ["routes"]);
    assert.equal(limit.wait(last + 10_001), 9999);
  });

  test("what was put back by the way is not named, what is undone about as often is", () => {
    const limit = new RepairLimit();
    for (let index = 0; index < 20; index++)
      limit.repaired(index * 500, index % 3 === 0 ? ["rules"] : ["rules", "routes"]);
    limit.repaired(20_000, ["the interface", "sysctls", "routes", "rules"]);
    assert.deepEqual(limit.contestedKinds(20_001), new Set(["rules", "routes"]));
  });

  test("a contest names what it is about now, also when only the slow repairs are left in the minute", () => {
    const limit = new RepairLimit();
    const last = repair(limit, 20, 500);
    limit.repaired(last + 50_000, ["routes"]);
    assert.deepEqual(limit.contestedKinds(last + 109_000), new Set(["rules"]));
    for (const seconds of [60, 70, 80, 90, 100]) limit.repaired(last + seconds * 1000, ["routes"]);
    assert.deepEqual(limit.contestedKinds(last + 100_001), new Set(["routes"]));
  });

  test("one every 4 s for ever is 15 a minute, and no contest", () => {
    const limit = new RepairLimit();
    const last = repair(limit, 200, 4000);
    assert.equal(limit.wait(last + 1), 0);
  });

  test("a contest goes on while the slow repairs do, and is over after a minute without any", () => {
    const limit = new RepairLimit();
    let last = repair(limit, 20, 500);
    for (let index = 0; index < 30; index++) {
      last += 10_000;
      limit.repaired(last, ["rules"]);
    }
    assert.equal(limit.wait(last + 1), 9999);
    assert.deepEqual(limit.contestedKinds(last + 59_999), new Set(["rules"]));
    assert.deepEqual(limit.contestedKinds(last + 60_000), new Set());
    assert.equal(limit.wait(last + 60_000), 0);
  });
});
