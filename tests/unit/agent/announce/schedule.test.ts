import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Announcement,
  emptySchedule,
  nextDue,
  type Schedule,
  schedule,
  takeDue,
} from "../../../../agent-image/agent/announce/schedule.js";

const vip: Announcement = {
  device: "vxlan228",
  mac: "02:e4:0a:00:07:0b",
  address: "203.0.113.10",
  gateway: "203.0.113.1",
  interval: 60,
  periodic: true,
};
const middle = (): number => 0.5;

/** Runs the schedule like a timer would and notes `milliseconds form` of each step. */
function play(start: Schedule, from: number, until: number, random = middle): { steps: string[]; end: Schedule } {
  const steps: string[] = [];
  let current = start;
  for (let at = nextDue(current); at !== undefined && at <= until; at = nextDue(current)) {
    const taken = takeDue(current, at, random);
    current = taken.schedule;
    steps.push(...taken.due.map(({ form }) => `${(at ?? 0) - from} ${form}`));
  }
  return { steps, end: current };
}

test("a takeover is announced at once and five times over 4.4 s in alternating forms, then each interval", () => {
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

test("an interval moves by at most a tenth", () => {
  const burst = play(schedule(emptySchedule, [vip], 0), 0, 4399).end;
  assert.equal(nextDue(takeDue(burst, 4400, () => 0).schedule), 4400 + 54_000);
  assert.equal(nextDue(takeDue(burst, 4400, () => 0.999_999).schedule)?.toFixed(0), "70400");
});

test("setting the same addresses again disturbs nothing; a new one starts its own burst", () => {
  const other: Announcement = { ...vip, address: "203.0.113.11" };
  const started = takeDue(schedule(emptySchedule, [vip], 0), 0, middle).schedule;
  const both = schedule(started, [vip, other], 500);
  const taken = takeDue(both, 500, middle);
  assert.deepEqual(
    taken.due.map(({ announcement }) => announcement.address),
    ["203.0.113.11"],
  );
  assert.equal(nextDue(taken.schedule), 1100);
});

test("an address that is no longer owned is not announced again", () => {
  const started = takeDue(schedule(emptySchedule, [vip], 0), 0, middle).schedule;
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
