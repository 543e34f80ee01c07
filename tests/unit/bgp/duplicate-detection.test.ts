import assert from "node:assert/strict";
import { test } from "node:test";
import { MacMoves, raiseDelay } from "../../../agent-image/agent/bgp/rib/duplicate-detection.js";

/** RFC 7432 section 15.1: five moves within 180 s, in milliseconds. */
const delays: readonly { readonly raisedAt: readonly number[]; readonly now: number; readonly delay: number }[] = [
  { raisedAt: [], now: 0, delay: 0 },
  { raisedAt: [0, 1, 2], now: 3, delay: 0 },
  { raisedAt: [0, 1000, 2000, 3000], now: 3000, delay: 177_000 },
  { raisedAt: [0, 1000, 2000, 3000], now: 179_999, delay: 1 },
  { raisedAt: [0, 1000, 2000, 3000], now: 180_000, delay: 0 },
  { raisedAt: [0, 1000, 2000, 3000, 180_000], now: 180_500, delay: 500 },
  { raisedAt: [0, 100_000, 200_000, 300_000, 400_000], now: 400_000, delay: 0 },
];
for (const { raisedAt, now, delay } of delays) {
  test(`raised at ${raisedAt.join(", ") || "no time"}: at ${now} the next waits for ${delay} ms`, () => {
    assert.equal(raiseDelay(raisedAt, now), delay);
  });
}

test("a clock that was set back freezes nothing", () => {
  assert.equal(raiseDelay([5_000_000, 5_000_001, 5_000_002, 5_000_003], 1000), 0);
});

test("whatever comes and goes, never five times within any 180 s, and no longer than that without one", () => {
  for (const step of [1, 7, 1000, 44_999, 45_000, 59_999, 60_001]) {
    const raisedAt: number[] = [];
    for (let now = 0; now < 2_000_000 && raisedAt.length < 2000; now += step) {
      if (raiseDelay(raisedAt.slice(-4), now) === 0) raisedAt.push(now);
    }
    assert.ok(raisedAt.length > 4, `steps of ${step}`);
    for (let index = 4; index < raisedAt.length; index += 1) {
      const span = (raisedAt[index] ?? 0) - (raisedAt[index - 4] ?? 0);
      assert.ok(span >= 180_000, `steps of ${step}: five within ${span} ms`);
      assert.ok((raisedAt[index] ?? 0) - (raisedAt[index - 1] ?? 0) <= 180_000 + step, `steps of ${step}`);
    }
  }
});

const mac = "02:00:00:00:99:01";
const [a, b] = ["10.0.7.12", "10.0.7.13"] as const;

function moved(times: readonly number[]): MacMoves {
  const moves = new MacMoves();
  for (const [index, time] of times.entries()) {
    moves.note(mac, index % 2 === 0 ? a : b, index % 2 === 0 ? b : a, time);
  }
  return moves;
}

test("a MAC that moves five times within 180 s is a duplicate, until the first of them is older", () => {
  assert.deepEqual(moved([0, 1, 2, 3]).duplicates(4), []);
  const moves = moved([0, 1000, 2000, 3000, 4000]);
  assert.deepEqual(moves.duplicates(4000), [{ mac, vteps: [a, b] }]);
  assert.deepEqual(moves.duplicates(179_999), [{ mac, vteps: [a, b] }]);
  assert.deepEqual(moves.duplicates(180_000), []);
  assert.deepEqual(moved([0, 50_000, 100_000, 150_000, 200_000]).duplicates(200_000), [], "five, but not within 180 s");
});

test("among a million other moves the MAC that goes back and forth is found, and memory holds a thousand", () => {
  const moves = new MacMoves();
  for (let index = 0; index < 1_000_000; index += 1) {
    moves.note(`other ${index}`, a, b, index / 1000);
    if (index % 500 === 0) moves.note(mac, a, b, index / 1000);
  }
  assert.deepEqual(moves.duplicates(1000), [{ mac, vteps: [a, b] }]);
  const all = new MacMoves();
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 1024; index += 1) all.note(`other ${index}`, a, b, round);
  }
  all.note(mac, a, b, 5);
  assert.equal(all.duplicates(5).length, 1023);
});
