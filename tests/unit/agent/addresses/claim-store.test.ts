import assert from "node:assert/strict";
import { test } from "node:test";
import type { Claim, ClaimObservation } from "../../../../agent-image/agent/addresses/claim.js";
import {
  type ClaimStore,
  emptyClaimStore,
  followClaims,
  nextClaimDeadline,
} from "../../../../agent-image/agent/addresses/claim-store.js";

const vip = "203.0.113.10";
const n1: Claim = {
  service: "default/echo",
  node: "n1",
  object: "l2-aaaaa",
  statedAt: "2026-01-01T10:00:00Z",
  speaker: "pod-1",
  interfaces: [],
};
const n2: Claim = { ...n1, node: "n2", object: "l2-bbbbb", statedAt: "2026-01-01T10:05:00Z", speaker: "pod-2" };
const healthy: ClaimObservation = {
  claims: [],
  services: new Map([["default/echo", [vip]]]),
  readyNodes: new Set(["n1", "n2"]),
  speakers: [
    { uid: "pod-1", node: "n1", ready: true, repeats: false },
    { uid: "pod-2", node: "n2", ready: true, repeats: false },
  ],
};

function owner(store: ClaimStore): string | undefined {
  return store.claims[0]?.node;
}

/** Feeds observations one after the other to one node's store; the clock stands at the given seconds. */
function follow(nodeName: string, ...steps: readonly (readonly [number, ClaimObservation])[]): ClaimStore {
  return steps.reduce((store, [seconds, seen]) => followClaims(store, seen, nodeName, seconds * 1000), emptyClaimStore);
}

test("D2: a claim is followed with the addresses of its Service", () => {
  const store = follow("n1", [0, { ...healthy, claims: [n1] }]);
  assert.deepEqual(store.claims, [{ ...n1, addresses: [vip] }]);
});

test("D1: of two claims the newest wins, on both nodes alike (metallb/metallb#2930)", () => {
  for (const node of ["n1", "n2"]) {
    assert.equal(owner(follow(node, [0, { ...healthy, claims: [n1, n2] }])), "n2");
    assert.equal(owner(follow(node, [0, { ...healthy, claims: [n2, n1] }])), "n2");
  }
});

test("D1, D5: an event takes the claim where MetalLB makes no status after a move (metallb/metallb#2930)", () => {
  const assigned: Claim = {
    service: "default/echo",
    node: "n2",
    object: "default/echo.18ed537e30ddfbdc",
    statedAt: "2026-01-01T10:00:43Z",
    interfaces: [],
  };
  for (const node of ["n1", "n2"]) {
    // Seen on v0.15.2: the former owner's speaker leaves, its status goes with it, and the new owner's is never made.
    const held = follow(node, [0, { ...healthy, claims: [n1] }]);
    const moved = {
      ...healthy,
      claims: [assigned],
      speakers: [{ uid: "pod-2", node: "n2", ready: true, repeats: false }],
    };
    assert.equal(owner(followClaims(held, moved, node, 1000)), "n2");
    // Events expire after an hour; absence ends nothing.
    assert.equal(owner(followClaims(followClaims(held, moved, node, 1000), healthy, node, 3_600_000)), "n2");
    // Of a node without a speaker an event says nothing, however late it is.
    const gone = {
      ...healthy,
      claims: [n1, assigned],
      speakers: [{ uid: "pod-1", node: "n1", ready: true, repeats: false }],
    };
    assert.equal(owner(follow(node, [0, gone])), "n1");
  }
});

test("D1: a claim whose node is not Ready loses against an older one whose node is", () => {
  assert.equal(owner(follow("n1", [0, { ...healthy, claims: [n1, n2], readyNodes: new Set(["n1"]) }])), "n1");
});

test("D1: a claim whose speaker pod is gone loses against an older one whose speaker lives", () => {
  const speakers = [{ uid: "pod-1", node: "n1", ready: true, repeats: false }];
  assert.equal(owner(follow("n1", [0, { ...healthy, claims: [n1, n2], speakers }])), "n1");
});

test("D9: the only claim holds although its node is dead: nobody steps in for MetalLB", () => {
  assert.equal(owner(follow("n1", [0, { ...healthy, claims: [n2], readyNodes: new Set(["n1"]) }])), "n2");
});

test("D5: absence never ends a claim, however long it lasts", () => {
  const store = follow("n1", [0, { ...healthy, claims: [n1] }], [1, healthy], [86_400, healthy]);
  assert.equal(owner(store), "n1");
});

test("D5: a claim that is made again three seconds after its deletion moves nothing", () => {
  const again = { ...n1, object: "l2-ccccc", statedAt: "2026-01-01T10:00:03Z", speaker: "pod-3" };
  const without = { ...healthy, speakers: [{ uid: "pod-2", node: "n2", ready: true, repeats: false }] };
  const restarted = {
    ...healthy,
    claims: [again],
    speakers: [...without.speakers, { uid: "pod-3", node: "n1", ready: true, repeats: false }],
  };
  const during = follow("n1", [0, { ...healthy, claims: [n1] }], [1, without]);
  assert.equal(owner(during), "n1");
  assert.equal(owner(followClaims(during, restarted, "n1", 4000)), "n1");
});

test("D5: another valid claim ends one that vanished; an invalid one does not", () => {
  assert.equal(owner(follow("n1", [0, { ...healthy, claims: [n1] }], [1, { ...healthy, claims: [n2] }])), "n2");
  const dead = { ...healthy, claims: [n2], readyNodes: new Set(["n1"]) };
  assert.equal(owner(follow("n1", [0, { ...healthy, claims: [n1] }], [1, dead])), "n1");
});

test("an old claim that stayed behind does not win again when the newer one vanishes", () => {
  for (const node of ["n1", "n2"]) {
    assert.equal(owner(follow(node, [0, { ...healthy, claims: [n1, n2] }], [1, { ...healthy, claims: [n1] }])), "n2");
  }
});

test("D2: the loss of the Service, or of its address, ends the claim", () => {
  const held = { ...healthy, claims: [n1] };
  assert.deepEqual(follow("n1", [0, held], [1, { ...held, services: new Map() }]).claims, []);
  assert.deepEqual(follow("n1", [0, held], [1, { ...held, services: new Map([["default/echo", []]]) }]).claims, []);
});

test("D2: a new address of the Service replaces the old one", () => {
  const services = new Map([["default/echo", ["203.0.113.11"]]]);
  const store = follow("n1", [0, { ...healthy, claims: [n1] }], [1, { ...healthy, claims: [n1], services }]);
  assert.deepEqual(store.claims[0]?.addresses, ["203.0.113.11"]);
});

test("the node's own speaker unready for ten seconds ends its claims; shorter does not", () => {
  const unready = {
    ...healthy,
    claims: [n1],
    speakers: [
      { uid: "pod-1", node: "n1", ready: false, repeats: false },
      { uid: "pod-2", node: "n2", ready: true, repeats: false },
    ],
  };
  const held = follow("n1", [0, { ...healthy, claims: [n1] }], [1, unready]);
  assert.equal(nextClaimDeadline(held), 11_000);
  assert.equal(owner(followClaims(held, unready, "n1", 10_999)), "n1");
  assert.equal(owner(followClaims(held, unready, "n1", 11_000)), undefined);
  const recovered = followClaims(held, { ...healthy, claims: [n1] }, "n1", 9000);
  assert.equal(nextClaimDeadline(recovered), undefined);
});

test("without the API server the store holds with its addresses", () => {
  const store = follow("n1", [0, { ...healthy, claims: [n1] }], [60, {}]);
  assert.deepEqual(store.claims, [{ ...n1, addresses: [vip] }]);
});

test("two speakers that delete each other's objects do not make the owner flap back to an older claim", () => {
  const steps: (readonly [number, ClaimObservation])[] = [[0, { ...healthy, claims: [n1, n2] }]];
  for (let step = 1; step < 20; step += 1) {
    steps.push([step, { ...healthy, claims: step % 2 === 0 ? [n1] : [] }]);
  }
  assert.equal(owner(follow("n2", ...steps)), "n2");
});

test("D1: in one second the claim that is still there was the last, whatever its name", () => {
  const taken = { ...n2, object: "l2-00000", statedAt: n1.statedAt };
  for (const node of ["n1", "n2"]) {
    const held = [0, { ...healthy, claims: [n1] }] as const;
    assert.equal(owner(follow(node, held, [1, { ...healthy, claims: [taken] }])), "n2");
    assert.equal(
      owner(follow(node, held, [1, { ...healthy, claims: [taken] }], [2, { ...healthy, claims: [] }])),
      "n2",
    );
  }
});
