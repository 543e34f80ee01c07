import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Coalesced } from "../../../../agent-image/agent/core/coalesced.js";

test("a burst becomes one run; what is asked during a run becomes one more", async () => {
  let runs = 0;
  let running = 0;
  const work = new Coalesced(
    async () => {
      running += 1;
      assert.equal(running, 1);
      runs += 1;
      await sleep(20);
      running -= 1;
    },
    1,
    assert.fail,
  );
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
  const work = new Coalesced(
    async () => {
      await sleep(20);
      finished += 1;
    },
    1,
    assert.fail,
  );
  work.request();
  await sleep(10);
  work.request();
  await work.close();
  assert.equal(finished, 1);
  work.request();
  await sleep(40);
  assert.equal(finished, 1);
});

test("a run that fails is told, and the next one runs", async () => {
  const errors: string[] = [];
  let runs = 0;
  const work = new Coalesced(
    async () => {
      runs += 1;
      throw new Error(`run ${runs}`);
    },
    1,
    ({ message }) => errors.push(message),
  );
  for (const expected of [["run 1"], ["run 1", "run 2"]]) {
    work.request();
    while (errors.length < expected.length) {
      await sleep(1);
    }
    assert.deepEqual(errors, expected);
  }
  await work.close();
});
