import assert from "node:assert/strict";
import { test } from "node:test";
import { type Initiator, judgeCollision } from "../../../agent-image/agent/bgp/session/collision.js";

const lower = { identifier: "10.0.7.11", as: 65001 };
const higher = { identifier: "10.0.7.19", as: 65001 };

test("until both connections have the peer's OPEN, both stay; the one that would lose waits for the other (RFC 4271 section 6.8)", () => {
  for (const rival of ["Idle", "Active", undefined] as const) {
    assert.equal(judgeCollision({ initiator: "us", rival }, lower, higher), "goes on", rival);
    assert.equal(judgeCollision({ initiator: "peer", rival }, lower, higher), "goes on", rival);
  }
  for (const rival of ["Connect", "OpenSent"] as const) {
    assert.equal(judgeCollision({ initiator: "us", rival }, lower, higher), "waits", rival);
    assert.equal(judgeCollision({ initiator: "peer", rival }, lower, higher), "goes on", rival);
    assert.equal(judgeCollision({ initiator: "us", rival }, higher, lower), "goes on", rival);
    assert.equal(judgeCollision({ initiator: "peer", rival }, higher, lower), "waits", rival);
  }
});

test("what is Established stays, whatever the identifiers are", () => {
  for (const initiator of ["us", "peer"] as const) {
    assert.equal(judgeCollision({ initiator, rival: "Established" }, lower, higher), "loses");
    assert.equal(judgeCollision({ initiator, rival: "Established" }, higher, lower), "loses");
  }
});

const contests: readonly (readonly [what: string, own: typeof lower, peer: typeof lower, stays: Initiator])[] = [
  ["the peer's identifier is higher", lower, higher, "peer"],
  ["our identifier is higher", higher, lower, "us"],
  [
    "identifiers are unsigned numbers, not texts or signed ones",
    { ...lower, identifier: "9.0.0.1" },
    { ...lower, identifier: "200.0.0.1" },
    "peer",
  ],
  ["the first byte weighs most", { ...lower, identifier: "10.1.0.0" }, { ...lower, identifier: "10.0.255.255" }, "us"],
  ["equal identifiers: the higher AS (RFC 6286)", { ...lower, as: 65002 }, { ...lower, as: 65001 }, "us"],
  ["equal identifiers: AS numbers of four bytes", { ...lower, as: 65002 }, { ...lower, as: 4_200_000_000 }, "peer"],
];

for (const [what, own, peer, stays] of contests) {
  test(`${what}: the connection that ${stays === "us" ? "we" : "the peer"} opened stays`, () => {
    const other: Initiator = stays === "us" ? "peer" : "us";
    assert.equal(judgeCollision({ initiator: stays, rival: "OpenConfirm" }, own, peer), "wins");
    assert.equal(judgeCollision({ initiator: other, rival: "OpenConfirm" }, own, peer), "loses");
    // The peer sees the same from the other side, and must come to the same connection.
    assert.equal(judgeCollision({ initiator: other, rival: "OpenConfirm" }, peer, own), "wins");
    assert.equal(judgeCollision({ initiator: stays, rival: "OpenConfirm" }, peer, own), "loses");
  });
}
