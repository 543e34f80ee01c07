import assert from "node:assert/strict";
import { test } from "node:test";
import { decideLease, heldLease, type LeaseSighting, sight } from "../../../../agent-image/agent/cluster/election.js";

const held: LeaseSighting = {
  spec: { holderIdentity: "agent-b", leaseDurationSeconds: 15, leaseTransitions: 2 },
  resourceVersion: "7",
  seenAt: 1000,
};

test("a Lease held by another is left alone until it stood still for its duration by our own clock", () => {
  assert.equal(decideLease(held, "agent-a", 16_000), "wait");
  assert.equal(decideLease(held, "agent-a", 16_001), "acquire");
});

test("our own Lease is renewed, however old it looks", () => {
  assert.equal(decideLease(held, "agent-b", 100_000), "renew");
});

test("a Lease that was given up is taken at once", () => {
  assert.equal(decideLease({ ...held, spec: { ...held.spec, holderIdentity: "" } }, "agent-a", 1000), "acquire");
  assert.equal(decideLease({ ...held, spec: {} }, "agent-a", 1000), "acquire");
});

test("a renewal by the holder starts the wait anew; the same version does not", () => {
  assert.equal(sight(held, held.spec, "7", 9000).seenAt, 1000);
  assert.equal(sight(held, held.spec, "8", 9000).seenAt, 9000);
});

test("taking over counts a transition and a new acquire time; renewing keeps both", () => {
  const taken = heldLease(held.spec, "agent-a", "2026-01-01T10:00:00.000000Z");
  assert.deepEqual(taken, {
    holderIdentity: "agent-a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T10:00:00.000000Z",
    renewTime: "2026-01-01T10:00:00.000000Z",
    leaseTransitions: 3,
  });
  assert.deepEqual(heldLease(taken, "agent-a", "2026-01-01T10:00:05.000000Z"), {
    ...taken,
    renewTime: "2026-01-01T10:00:05.000000Z",
  });
});
