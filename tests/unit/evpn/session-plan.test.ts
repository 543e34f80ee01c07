import assert from "node:assert/strict";
import { test } from "node:test";
import { planSessions } from "../../../agent-image/agent/evpn/session-plan.js";
import { plan228, plan240 } from "./plan.js";

test("networks with the same pair of addresses share a session", () => {
  const { sessions } = planSessions([
    { network: "a", plan: { ...plan228, peers: ["10.0.7.19", "10.0.7.20"] } },
    { network: "b", plan: plan240 },
    { network: "c", plan: { ...plan240, vtep: "10.0.8.11", routerId: "10.0.8.11" } },
  ]);
  assert.deepEqual(
    [...sessions.values()].map(({ target, networks }) => [target.local, target.peer, ...networks]),
    [
      ["10.0.7.11", "10.0.7.19", "a", "b"],
      ["10.0.7.11", "10.0.7.20", "a"],
      ["10.0.8.11", "10.0.7.19", "c"],
    ],
  );
});

test("sessions come from the declared source, which two VTEPs may share; without it on the node there are none", () => {
  const source = "10.255.0.5";
  const { sessions, spoken, refusals } = planSessions([
    { network: "a", plan: plan228 },
    { network: "b", plan: { ...plan240, source } },
    { network: "c", plan: { ...plan240, vtep: "10.0.8.11", source } },
    { network: "d", plan: { ...plan240, source: "10.255.0.6" } },
    { network: "e", plan: { ...plan240, source: null, holdTime: 30 } },
  ]);
  assert.deepEqual(
    [...sessions.values()].map(({ target, networks }) => [target.local, target.peer, ...networks]),
    [
      ["10.0.7.11", "10.0.7.19", "a"],
      ["10.255.0.5", "10.0.7.19", "b", "c"],
      ["10.255.0.6", "10.0.7.19", "d"],
    ],
  );
  assert.deepEqual([...spoken.keys()], ["a", "b", "c", "d", "e"]);
  assert.deepEqual([...refusals], []);
});

test("networks with one source must agree about its session", () => {
  const source = "10.255.0.5";
  const { refusals } = planSessions([
    { network: "a", plan: { ...plan228, source } },
    { network: "b", plan: { ...plan240, vtep: "10.0.8.11", routerId: "10.0.8.11", source } },
  ]);
  assert.deepEqual(refusals.get("b"), {
    reason: "SessionParametersDiffer",
    message:
      'networks "a" and "b" share the BGP session from 10.255.0.5 to 10.0.7.19 but differ in bgp.routerId ' +
      "(10.0.7.11 and 10.0.8.11); give both the same value, or different peers",
  });
});

test("a shared session cannot have two shapes: the later network is refused with both names, the values and the way out", () => {
  const plan = (change: Partial<typeof plan228>) =>
    planSessions([
      { network: "a", plan: plan228 },
      { network: "b", plan: { ...plan240, ...change } },
    ]);
  const { sessions, spoken, refusals } = plan({ holdTime: 30 });
  assert.deepEqual(
    [...refusals],
    [
      [
        "b",
        {
          reason: "SessionParametersDiffer",
          message:
            'networks "a" and "b" share the BGP session from 10.0.7.11 to 10.0.7.19 but differ in bgp.holdTime ' +
            "(9 and 30); give both the same value, or different peers",
        },
      ],
    ],
  );
  assert.deepEqual([...spoken.keys()], ["a"]);
  assert.deepEqual(
    [...sessions.values()].map(({ networks }) => networks),
    [["a"]],
  );
  const message = (change: Partial<typeof plan228>) => plan(change).refusals.get("b")?.message ?? "";
  assert.match(message({ localAsn: 65002 }), /bgp\.myAsn \(65001 and 65002\)/);
  assert.match(message({ peerAsn: 65002 }), /bgp\.peerAsn \(65001 and 65002\)/);
  assert.match(message({ routerId: "10.0.0.1" }), /bgp\.routerId \(10\.0\.7\.11 and 10\.0\.0\.1\)/);
  assert.deepEqual([...plan({ holdTime: 30, peers: ["10.0.7.20"] }).refusals], []);
});

/** Hold times in seconds, by network; `current` is what is spoken already. */
const seniority: readonly {
  readonly name: string;
  readonly current: Readonly<Record<string, number>>;
  readonly wanted: Readonly<Record<string, number>>;
  readonly spoken: Readonly<Record<string, number>>;
  readonly refused: readonly string[];
}[] = [
  { name: "all are new: by name", current: {}, wanted: { b: 30, a: 9 }, spoken: { a: 9 }, refused: ["b"] },
  { name: "who is there stays", current: { b: 30 }, wanted: { a: 9, b: 30 }, spoken: { b: 30 }, refused: ["a"] },
  {
    name: "who changes alone goes on as before",
    current: { a: 9, b: 9 },
    wanted: { a: 30, b: 9 },
    spoken: { a: 9, b: 9 },
    refused: ["a"],
  },
  {
    name: "who changes comes before who is new",
    current: { b: 9 },
    wanted: { a: 9, b: 30 },
    spoken: { b: 30 },
    refused: ["a"],
  },
  { name: "all change", current: { a: 9, b: 9 }, wanted: { a: 30, b: 30 }, spoken: { a: 30, b: 30 }, refused: [] },
  {
    name: "all change, and differently",
    current: { a: 9, b: 9 },
    wanted: { a: 30, b: 60 },
    spoken: { a: 30 },
    refused: ["b"],
  },
  { name: "the other one leaves", current: { a: 9, b: 9 }, wanted: { a: 30 }, spoken: { a: 30 }, refused: [] },
];

for (const { name, current, wanted, spoken, refused } of seniority) {
  test(`which of two networks stays: ${name}`, () => {
    const plans = (times: Readonly<Record<string, number>>) =>
      Object.entries(times).map(([network, holdTime]) => ({ network, plan: { ...plan228, holdTime } }));
    const planned = planSessions(plans(wanted), new Map(plans(current).map(({ network, plan }) => [network, plan])));
    const times = [...planned.spoken].map(([network, { holdTime }]) => [network, holdTime] as const);
    assert.deepEqual(Object.fromEntries(times), spoken);
    assert.deepEqual([...planned.refusals.keys()], refused);
  });
}

test("a network that is refused at one of its peers is at none of them", () => {
  const { sessions } = planSessions([
    { network: "a", plan: plan228 },
    { network: "b", plan: { ...plan240, holdTime: 30, peers: ["10.0.7.20", "10.0.7.19"] } },
  ]);
  assert.deepEqual([...sessions.keys()], ["10.0.7.11 10.0.7.19"]);
});
