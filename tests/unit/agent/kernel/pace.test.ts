import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { Pace } from "../../../../agent-image/agent/kernel/pace.js";
import { FakeClock } from "./fake-clock.js";

describe("when a pass is asked for", () => {
  let clock: FakeClock;
  let asked: number[];
  let pace: Pace;

  /** A pass that begins as soon as it is asked for. */
  const takes = (milliseconds: number) => () => {
    asked.push(clock.now());
    pace.passBegins();
    clock.schedule(milliseconds, () => pace.passEnds());
  };
  const start = (ask: () => void) => {
    pace = new Pace(ask, clock);
  };

  beforeEach(() => {
    clock = new FakeClock();
    // Long after the start, as in a node that was quiet.
    clock.pass(60_000);
    asked = [];
    start(takes(100));
  });

  test("50 ms after a single event", () => {
    pace.event();
    clock.pass(10_000);
    assert.deepEqual(asked, [60_050]);
  });

  test("once for events that come close together, when they are over", () => {
    for (let event = 0; event < 6; event++) {
      pace.event();
      clock.pass(40);
    }
    clock.pass(10_000);
    assert.deepEqual(asked, [60_250]);
  });

  test("a stream of events puts it off for 300 ms at most, and 10 s of them make 20 passes of 100 ms", () => {
    for (let event = 0; event < 10_000; event++) {
      pace.event();
      clock.pass(1);
    }
    assert.equal(asked[0], 60_300);
    assert.equal(asked.length, 20);
    const rests = asked.slice(1).map((time, index) => time - (asked[index] ?? 0));
    assert.deepEqual(new Set(rests), new Set([500]));
  });

  test("400 ms after the last pass, and not during it", () => {
    pace.event();
    clock.pass(60);
    pace.event();
    clock.pass(10_000);
    assert.deepEqual(asked, [60_050, 60_550]);
  });

  test("not for what came before a pass that somebody else began: it sees that", () => {
    pace.event();
    clock.pass(20);
    pace.passBegins();
    clock.pass(500);
    pace.passEnds();
    clock.pass(10_000);
    assert.deepEqual(asked, []);
  });

  test("also when who is asked makes no pass of it, but not faster", () => {
    start(() => asked.push(clock.now()));
    for (let event = 0; event < 1000; event++) {
      pace.event();
      clock.pass(1);
    }
    assert.deepEqual(asked, [60_300, 60_700]);
  });

  test("at a given time, although nothing happens then", () => {
    pace.eventIn(10_000);
    clock.pass(20_000);
    assert.deepEqual(asked, [70_050]);
  });

  test("never after the end", () => {
    pace.event();
    pace.eventIn(1000);
    pace.close();
    pace.event();
    clock.pass(10_000);
    assert.deepEqual(asked, []);
  });
});
