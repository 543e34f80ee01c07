import assert from "node:assert/strict";
import { test } from "node:test";
import { planSessions } from "../../../agent-image/agent/evpn/session-plan.js";
import { plan228, plan240 } from "./plan.js";

test("networks with the same pair of addresses share a session", () => {
  const sessions = planSessions([
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

test("a shared session cannot have two shapes: the error names both networks, the values and the way out", () => {
  const plan = (change: Partial<typeof plan228>) => () =>
    planSessions([
      { network: "a", plan: plan228 },
      { network: "b", plan: { ...plan240, ...change } },
    ]);
  assert.throws(plan({ holdTime: 30 }), {
    message:
      'networks "a" and "b" share the BGP session from 10.0.7.11 to 10.0.7.19 but differ in bgp.holdTime (9 and 30); ' +
      "give both the same value, or different peers",
  });
  assert.throws(plan({ localAsn: 65002 }), { message: /bgp\.myAsn \(65001 and 65002\)/ });
  assert.throws(plan({ peerAsn: 65002 }), { message: /bgp\.peerAsn \(65001 and 65002\)/ });
  assert.throws(plan({ routerId: "10.0.0.1" }), { message: /bgp\.routerId \(10\.0\.7\.11 and 10\.0\.0\.1\)/ });
  assert.doesNotThrow(plan({ holdTime: 30, peers: ["10.0.7.20"] }));
});
