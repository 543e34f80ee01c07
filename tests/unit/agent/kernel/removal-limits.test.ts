import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { RemovalLimits } from "../../../../agent-image/agent/kernel/removal-limits.js";

const command = "ip -4 rule del priority 4016 protocol 118 from 203.0.113.0/24 tos 0x10 lookup 228";

/** So many passes, one each half second, in each of which something had to go. */
function passes(
  limits: RemovalLimits,
  count: number,
  removed: (pass: number) => string = () => command,
  network?: string,
): number {
  for (let pass = 0; pass < count; pass++) {
    limits.begin("plan");
    limits.removed(pass * 500, [{ command: removed(pass), network }]);
  }
  return (count - 1) * 500;
}

describe("E1: whether what belongs to no plan may be removed now", () => {
  test("the 20th time within a minute shows another program at work: from then on one in 10 s, by network", () => {
    const limits = new RemovalLimits();
    limits.begin("plan");
    const last = passes(limits, 20, () => command, "public");
    assert.deepEqual([limits.wait("public", last + 400), limits.wait(undefined, last + 400)], [9600, 0]);
    assert.deepEqual(limits.contested(last), new Map([["public", new Set([command])]]));
    assert.equal(limits.wait("public", last + 10_000), 0);
    assert.deepEqual(limits.contested(last + 60_000), new Map());
  });

  test("what a new plan gives up counts for nothing and waits for nothing", () => {
    const limits = new RemovalLimits();
    for (let pass = 0; pass < 30; pass++) {
      assert.equal(limits.begin(`plan ${pass}`), true);
      limits.removed(pass * 500, [{ command, network: undefined }]);
    }
    assert.deepEqual(limits.contested(15_000), new Map());
    const last = passes(limits, 21);
    assert.equal(limits.wait(undefined, last + 1), 9999);
    limits.begin("another plan");
    assert.equal(limits.wait(undefined, last + 1), 0);
  });

  test("a program that puts in something else each time is met all the same, and one of it is named", () => {
    const limits = new RemovalLimits();
    limits.begin("plan");
    const last = passes(limits, 20, (pass) => `ip -4 rule del priority ${pass} protocol 118 nop`);
    assert.equal(limits.wait(undefined, last + 1), 9999);
    assert.deepEqual(
      limits.contested(last),
      new Map([[undefined, new Set(["ip -4 rule del priority 0 protocol 118 nop"])]]),
    );
  });

  test("a network that is not there any more is forgotten", () => {
    const limits = new RemovalLimits();
    limits.begin("plan");
    const last = passes(limits, 20, () => command, "public");
    limits.forgetAbsent(new Set(["other"]));
    assert.deepEqual([limits.contested(last), limits.wait("public", last)], [new Map(), 0]);
  });
});
