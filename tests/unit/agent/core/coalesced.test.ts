import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Coalesced } from "../../../../agent-image/agent/core/coalesced.js";

test("a burst becomes one run; what is asked during a run becomes one more", async () => {
  let runs = 0;
  let running = 0;
  const work = new Coalesced(async () => {
    running += 1;
    assert.equal(running, 1);
    runs += 1;
    await sleep(20);
    running -= 1;
  }, 1);
  work.request();
  work.request();
  await sleep(10);
  work.request();
  work.request();
  await sleep(80);
  assert.equal(runs, 2);
});

test("closing waits for the run that is under way and lets no other begin", async () => {
  let finished = 0;
  const work = new Coalesced(async () => {
    await sleep(20);
    finished += 1;
  }, 1);
  work.request();
  await sleep(10);
  work.request();
  await work.close();
  assert.equal(finished, 1);
  work.request();
  await sleep(40);
  assert.equal(finished, 1);
});
