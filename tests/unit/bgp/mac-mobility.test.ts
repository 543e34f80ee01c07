import assert from "node:assert/strict";
import { test } from "node:test";
import { compareClaims, sequenceAbove } from "../../../agent-image/agent/bgp/rib/mac-mobility.js";
import type { ReceivedRoute } from "../../../agent-image/agent/bgp/rib/received-route.js";

interface Claim {
  readonly vtep?: string;
  readonly sequence?: number;
  readonly sticky?: boolean;
  readonly stale?: boolean;
  readonly longLivedStale?: boolean;
}

function claim({
  vtep = "10.0.0.9",
  sequence = 0,
  sticky = false,
  stale = false,
  longLivedStale = false,
}: Claim): ReceivedRoute {
  return {
    route: {
      kind: "mac-ip",
      routeDistinguisher: "10.0.0.9:2",
      ethernetSegment: "00000000000000000000",
      ethernetTag: 0,
      mac: "02:00:00:00:00:aa",
      ip: undefined,
      label: 228,
      label2: undefined,
    },
    nextHop: vtep,
    traits: {
      routeTargets: ["65001:228"],
      tunnelTypes: [8],
      sequence,
      sticky,
      longLivedStale,
      notLongLived: false,
      flood: undefined,
    },
    stale,
  };
}

/** RFC 7432 sections 15 and 15.2; the first claim of each row wins. */
const winners: readonly { readonly why: string; readonly winner: Claim; readonly loser: Claim }[] = [
  { why: "higher sequence", winner: { sequence: 2, vtep: "10.0.0.9" }, loser: { sequence: 1, vtep: "10.0.0.1" } },
  { why: "any number against none", winner: { sequence: 1, vtep: "10.0.0.9" }, loser: { vtep: "10.0.0.1" } },
  { why: "lower VTEP, as numbers and not as text", winner: { vtep: "10.0.0.9" }, loser: { vtep: "10.0.0.10" } },
  { why: "sticky", winner: { sticky: true, vtep: "10.0.0.9" }, loser: { sequence: 7, vtep: "10.0.0.1" } },
  {
    why: "whatever else against long-lived stale (RFC 9494 section 4.3)",
    winner: { stale: true, vtep: "10.0.0.9" },
    loser: { longLivedStale: true, sticky: true, sequence: 9, vtep: "10.0.0.1" },
  },
  { why: "fresh against stale", winner: { vtep: "10.0.0.9" }, loser: { stale: true, sequence: 3, vtep: "10.0.0.1" } },
];

for (const { why, winner, loser } of winners) {
  test(`of two claims the right one wins: ${why}`, () => {
    assert.ok(compareClaims(claim(winner), claim(loser)) < 0);
    assert.ok(compareClaims(claim(loser), claim(winner)) > 0);
  });
}

test("the same claim by two reflectors is a draw", () => {
  assert.equal(compareClaims(claim({}), claim({})), 0);
});

test("a new claim stands one above the live ones; the first move is 1, not 0 as GoBGP sends", () => {
  assert.equal(sequenceAbove(0, []), 0);
  assert.equal(sequenceAbove(0, [claim({})]), 1);
  assert.equal(sequenceAbove(0, [claim({ sequence: 4 }), claim({ sequence: 2 })]), 5);
  assert.equal(sequenceAbove(9, [claim({ sequence: 4 })]), 9, "never lowered");
  assert.equal(sequenceAbove(0, [claim({ sequence: 4, stale: true })]), 0, "a stale one is not live");
  assert.equal(sequenceAbove(0, [claim({ sequence: 4, longLivedStale: true })]), 0, "nor is one that a router keeps");
});

test("a number that no host has moved up to is not followed: ours would have nowhere to go from there", () => {
  assert.equal(sequenceAbove(3, [claim({ sequence: 4294967295 }), claim({ sequence: 2147483648 })]), 3);
  assert.equal(sequenceAbove(3, [claim({ sequence: 4294967295 }), claim({ sequence: 7 })]), 8);
  assert.equal(sequenceAbove(3, [claim({ sequence: 2147483647 })]), 2147483648);
});
