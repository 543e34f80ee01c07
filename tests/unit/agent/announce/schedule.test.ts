import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Announcement,
  emptySchedule,
  hasten,
  nextDue,
  type Schedule,
  schedule,
  takeDue,
} from "../../../../agent-image/agent/announce/schedule.js";

const vip: Announcement = {
  device: "vxlan228",
  mac: "02:e4:0a:00:07:0b",
  family: 4,
  address: "203.0.113.10",
  gateway: "203.0.113.1",
  interval: 60,
  periodic: true,
  repeated: false,
};
const middle = (): number => 0.5;
const unlimited = Number.POSITIVE_INFINITY;

/** Runs the schedule like a timer would and notes `milliseconds form` of each step. */
function play(start: Schedule, from: number, until: number, random = middle): { steps: string[]; end: Schedule } {
  const steps: string[] = [];
  let current = start;
  for (let at = nextDue(current); at !== undefined && at <= until; at = nextDue(current)) {
    const taken = takeDue(current, at, random, unlimited);
    current = taken.schedule;
    steps.push(...taken.due.map(({ form }) => `${(at ?? 0) - from} ${form}`));
  }
  return { steps, end: current };
}

test("D6, D7: a takeover is announced at once and five times over 4.4 s in alternating forms, then each interval", () => {
  const { steps } = play(schedule(emptySchedule, [vip], 1000), 1000, 131_000);
  assert.deepEqual(steps, [
    "0 request",
    "1100 reply",
    "2200 request",
    "3300 reply",
    "4400 request",
    "64400 reply",
    "124400 request",
  ]);
});

test("D6: an interval moves by at most a tenth", () => {
  const burst = play(schedule(emptySchedule, [vip], 0), 0, 4399).end;
  assert.equal(nextDue(takeDue(burst, 4400, () => 0, unlimited).schedule), 4400 + 54_000);
  assert.equal(nextDue(takeDue(burst, 4400, () => 0.999_999, unlimited).schedule)?.toFixed(0), "70400");
});

test("D6: an address for which somebody else has fallen silent is announced at once, once, and others when they are due", () => {
  const other: Announcement = { ...vip, address: "203.0.113.11" };
  const { end } = play(schedule(emptySchedule, [vip, other], 0), 0, 10_000);
  const hastened = hasten(end, "vxlan228", new Set([vip.address]), 20_000);
  const taken = takeDue(hastened, 20_000, middle, unlimited);
  assert.deepEqual(
    taken.due.map(({ announcement, form }) => `${announcement.address} ${form}`),
    ["203.0.113.10 reply"],
  );
  assert.equal(nextDue(taken.schedule), 64_400);
  assert.equal(nextDue(hasten(end, "vxlan240", new Set([vip.address]), 20_000)), 64_400, "of another interface");
});

test("setting the same addresses again disturbs nothing; a new one starts its own burst", () => {
  const other: Announcement = { ...vip, address: "203.0.113.11" };
  const started = takeDue(schedule(emptySchedule, [vip], 0), 0, middle, unlimited).schedule;
  const both = schedule(started, [vip, other], 500);
  const taken = takeDue(both, 500, middle, unlimited);
  assert.deepEqual(
    taken.due.map(({ announcement }) => announcement.address),
    ["203.0.113.11"],
  );
  assert.equal(nextDue(taken.schedule), 1100);
});

test("D6: an address that is no longer owned is not announced again", () => {
  const started = takeDue(schedule(emptySchedule, [vip], 0), 0, middle, unlimited).schedule;
  assert.equal(nextDue(schedule(started, [], 10)), undefined);
});

test("a new MAC of the interface is a takeover", () => {
  const settled = play(schedule(emptySchedule, [vip], 0), 0, 5000).end;
  const again = schedule(settled, [{ ...vip, mac: "02:e4:0a:00:07:0c" }], 6000);
  assert.equal(nextDue(again), 6000);
});

test("an unconfirmed owner ends its burst and stays silent until it is confirmed again", () => {
  const unconfirmed = { ...vip, periodic: false };
  const { steps, end } = play(schedule(emptySchedule, [unconfirmed], 0), 0, 200_000);
  assert.deepEqual(steps, ["0 request", "1100 reply", "2200 request", "3300 reply", "4400 request"]);
  const confirmed = play(schedule(end, [vip], 200_000), 0, 270_000);
  assert.equal(confirmed.steps.length, 1);
});

test("D6: what the budget leaves waiting goes out in order of urgency: takeovers, bursts, repetitions", () => {
  const address = (last: number): Announcement => ({ ...vip, address: `203.0.113.${last}` });
  const settled = play(schedule(emptySchedule, [address(1)], 0), 0, 5_000).end;
  const burst = takeDue(schedule(settled, [address(1), address(2)], 62_000), 62_000, middle, 1).schedule;
  const all = schedule(burst, [address(1), address(2), address(3), address(4)], 64_400);
  const order: string[] = [];
  let current = all;
  for (let step = 0; step < 4; step += 1) {
    const taken = takeDue(current, 64_400, middle, 1);
    current = taken.schedule;
    order.push(...taken.due.map(({ announcement }) => announcement.address));
  }
  assert.deepEqual(order, ["203.0.113.3", "203.0.113.4", "203.0.113.2", "203.0.113.1"]);
  assert.deepEqual(takeDue(all, 64_400, middle, 0), { due: [], schedule: all });
});

test("what MetalLB repeats itself is announced at the takeover, and then only asks the gateway", () => {
  const { steps } = play(schedule(emptySchedule, [{ ...vip, repeated: true }], 0), 0, 125_000);
  assert.deepEqual(steps, [
    "0 request",
    "1100 reply",
    "2200 request",
    "3300 reply",
    "4400 request",
    "64400 none",
    "124400 none",
  ]);
});
