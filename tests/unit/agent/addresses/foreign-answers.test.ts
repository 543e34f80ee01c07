import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ForeignAnswers,
  hearForeign,
  lastingConflicts,
  noForeignAnswers,
  type OwnAnswer,
  retainOwn,
  takenAddresses,
} from "../../../../agent-image/agent/addresses/foreign-answers.js";

const mine: OwnAnswer = { device: "vxlan228", mac: "02:e4:0a:00:07:0b", address: "203.0.113.10" };
const own = new Map([["vxlan228 203.0.113.10", mine]]);
const theirs: OwnAnswer = { ...mine, mac: "02:00:00:00:00:66" };

/** What was heard of another host at these milliseconds. */
function heard(...times: readonly number[]): ForeignAnswers {
  return times.reduce((current, at) => hearForeign(current, own, theirs, at), noForeignAnswers);
}

function addresses(answers: readonly { readonly address: string }[]): readonly string[] {
  return answers.map(({ address }) => address);
}

test("our own frames, other addresses and other segments are no conflict", () => {
  for (const other of [mine, { ...theirs, address: "203.0.113.11" }, { ...theirs, device: "vlan220" }]) {
    assert.equal(hearForeign(noForeignAnswers, own, other, 0), noForeignAnswers);
  }
});

test("an address is taken only by who speaks for it after the API server's last word", () => {
  assert.deepEqual(addresses(takenAddresses(heard(5_000), undefined)), []);
  assert.deepEqual(addresses(takenAddresses(heard(5_000), 5_000)), []);
  assert.deepEqual(addresses(takenAddresses(heard(5_000), 4_999)), ["203.0.113.10"]);
});

test("a move is no conflict: both answer for some seconds; who goes on for 15 s is one, until five minutes of silence", () => {
  assert.deepEqual(addresses(lastingConflicts(heard(0, 12_000), 12_000)), []);
  const lasting = heard(0, 12_000, 15_000);
  assert.deepEqual(addresses(lastingConflicts(lasting, 15_000)), ["203.0.113.10"]);
  assert.deepEqual(addresses(lastingConflicts(lasting, 314_999)), ["203.0.113.10"]);
  assert.deepEqual(addresses(lastingConflicts(lasting, 315_000)), []);
  assert.deepEqual(addresses(lastingConflicts(heard(0, 300_000), 300_000)), []);
});

test("what is not ours any more is forgotten", () => {
  assert.deepEqual([...retainOwn(heard(0), new Map()).keys()], []);
  const kept = heard(0);
  assert.equal(retainOwn(kept, own), kept);
});
