import assert from "node:assert/strict";
import { test } from "node:test";
import { SequenceMemory } from "../../../agent-image/agent/evpn/sequence-memory.js";

const mac = "02:00:00:00:00:50";
const other = "02:00:00:00:00:51";
const noon = Date.UTC(2026, 0, 1, 12);
const day = 86_400_000;

/** What any event of another MAC does: the memory looks at the clock then. */
const somethingHappens = (memory: SequenceMemory, at: number): void => memory.release("a", other, new Date(at));

function released(): SequenceMemory {
  const memory = new SequenceMemory();
  memory.raise({ network: "a", mac, sequence: 4 }, new Date(noon));
  memory.release("a", mac, new Date(noon));
  return memory;
}

test("the number of a MAC that is not announced is forgotten after a week, not a millisecond earlier", () => {
  const memory = released();
  somethingHappens(memory, noon + 7 * day - 1);
  assert.equal(memory.of("a", mac), 4);
  somethingHappens(memory, noon + 7 * day - 1 + 3_600_000);
  assert.equal(memory.take("a", mac), 0);
  assert.deepEqual(memory.entries(), []);
});

test("the number of a MAC that is announced is never forgotten, also of one that has come back", () => {
  const memory = released();
  somethingHappens(memory, noon + 6 * day);
  assert.equal(memory.take("a", mac), 4);
  somethingHappens(memory, noon + 4000 * day);
  assert.equal(memory.of("a", mac), 4);
  memory.release("a", mac, new Date(noon + 4000 * day));
  somethingHappens(memory, noon + 4006 * day);
  assert.equal(memory.of("a", mac), 4);
});

test("a clock that was set back begins the week anew", () => {
  const memory = released();
  somethingHappens(memory, noon - 1000 * day);
  somethingHappens(memory, noon - 994 * day);
  assert.equal(memory.of("a", mac), 4);
  somethingHappens(memory, noon - 993 * day);
  assert.equal(memory.of("a", mac), 0);
});

test("each of it is told, so that it can be kept; what changes nothing is not", () => {
  let changes = 0;
  const memory = new SequenceMemory([], () => {
    changes += 1;
  });
  memory.take("a", mac);
  memory.release("a", mac, new Date(noon));
  assert.equal(changes, 0);
  memory.raise({ network: "a", mac, sequence: 1 }, new Date(noon));
  memory.release("a", mac, new Date(noon));
  memory.take("a", mac);
  memory.take("a", mac);
  assert.equal(changes, 3);
});
