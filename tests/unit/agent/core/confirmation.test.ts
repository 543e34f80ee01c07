import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CarriedNetwork } from "../../../../agent-image/agent/core/carried-network.js";
import { changedNetworks, judge, type Return, type Trial } from "../../../../agent-image/agent/core/confirmation.js";

const network = (revision: string): CarriedNetwork =>
  ({ name: "edge", uid: "u1", revision, podNetworks: [], spec: {} }) as unknown as CarriedNetwork;

const api = "API server";
const gateway = "gateway 203.0.113.1 on vxlan228";
const trial: Trial = {
  kind: "trial",
  before: [network("r1")],
  target: [network("r2")],
  goodBefore: [api, gateway],
  since: 1_000,
  goodRounds: 0,
};
const results = (apiAnswers: boolean, gatewayAnswers?: boolean) =>
  new Map([[api, apiAnswers], ...(gatewayAnswers === undefined ? [] : [[gateway, gatewayAnswers] as const])]);
const patience = 30_000;

describe("a change on trial", () => {
  test("is confirmed when everything answers in two rounds", () => {
    const first = judge(trial, results(true, true), 1_500, patience);
    assert.deepEqual(first, { kind: "wait", state: { ...trial, goodRounds: 1 } });
    assert.deepEqual(judge({ ...trial, goodRounds: 1 }, results(true, true), 2_000, patience), { kind: "confirm" });
  });

  test("begins to count anew when one falls silent in between", () => {
    const verdict = judge({ ...trial, goodRounds: 1 }, results(true, false), 2_000, patience);
    assert.deepEqual(verdict, { kind: "wait", state: { ...trial, goodRounds: 0 } });
  });

  test("has thirty seconds, then the node goes back", () => {
    assert.equal(judge(trial, results(true, false), 30_999, patience).kind, "wait");
    assert.deepEqual(judge(trial, results(true, false), 31_000, patience), {
      kind: "goBack",
      state: { kind: "return", before: trial.before, target: trial.target, failed: [gateway], since: 31_000 },
    });
  });

  test("is not judged by what did not answer before, nor by what it does not have any more", () => {
    const onlyApi = { ...trial, goodBefore: [api], goodRounds: 1 };
    assert.equal(judge(onlyApi, results(true, false), 99_000, patience).kind, "confirm");
    assert.equal(judge({ ...trial, goodRounds: 1 }, results(true), 99_000, patience).kind, "confirm");
  });
});

describe("a node that went back", () => {
  const back: Return = { kind: "return", before: trial.before, target: trial.target, failed: [gateway], since: 31_000 };

  test("rejects the change when that helps", () => {
    assert.deepEqual(judge(back, results(true, true), 31_500, patience), { kind: "reject", failed: [gateway] });
  });

  test("applies it again after thirty seconds in which it does not", () => {
    assert.deepEqual(judge(back, results(true, false), 60_999, patience), { kind: "wait", state: back });
    assert.deepEqual(judge(back, results(true, false), 61_000, patience), { kind: "applyAgain", failed: [gateway] });
  });
});

test("a new network and a new revision are changes; a removal and a return to the same are none", () => {
  const other = { ...network("r1"), uid: "u2", name: "other" };
  assert.deepEqual(changedNetworks([network("r1")], [network("r2"), other]), [network("r2"), other]);
  assert.deepEqual(changedNetworks([network("r1"), other], [network("r1")]), []);
});
