import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type AssignmentView,
  carryNext,
  unaccountedNetworks,
} from "../../../../agent-image/agent/cluster/carried-networks.js";
import {
  type Carried,
  type CarriedNetwork,
  nothingCarried,
} from "../../../../agent-image/agent/core/carried-network.js";
import { apiVersion, type NetworkSpec, type PublicNetworkObject } from "../../../../model/index.js";

const spec: NetworkSpec = {
  type: "vlan",
  vlan: { parent: "bond0", id: 220 },
  routing: [
    {
      cidr: "198.51.100.0/24",
      gateway: "198.51.100.1",
      onlink: false,
      returnPath: "auto",
      arpAnnouncer: { enabled: false, interval: 60 },
    },
  ],
};
const podNetworks = ["10.244.0.0/16"];
const uid = "uid-1";

function publicNetwork(metadata: Partial<PublicNetworkObject["metadata"]> = {}, changed: Partial<NetworkSpec> = {}) {
  return {
    apiVersion,
    kind: "PublicNetwork",
    metadata: { name: "edge", uid, ...metadata },
    spec: { ...spec, ...changed } as NetworkSpec,
  } as const satisfies PublicNetworkObject;
}

const assigned = { networks: [{ name: "edge", uid, revision: "edge-1" }] };
const revisions = new Map([["edge-1", { network: "edge", uid, spec, podNetworks }]]);
const carried: CarriedNetwork = { name: "edge", uid, revision: "edge-1", spec, podNetworks };
const holding: Carried = { networks: [carried], removedUids: [] };

function view(changed: Partial<AssignmentView> = {}): AssignmentView {
  return { assigned, revisions, publicNetworks: [publicNetwork()], removedUids: [], nodeLabels: {}, ...changed };
}

test("the node carries the revision that it is told", () => {
  assert.deepEqual(carryNext(nothingCarried, view()), holding);
});

test("a new revision is carried once it can be read; until then the old one stays and says so", () => {
  const told = { networks: [{ name: "edge", uid, revision: "edge-2" }] };
  const waiting = carryNext(holding, view({ assigned: told }));
  assert.equal(waiting.networks[0]?.revision, "edge-1");
  assert.equal(waiting.networks[0]?.notice?.type, "RevisionMissing");
  const both = new Map([...revisions, ["edge-2", { network: "edge", uid, spec, podNetworks }] as const]);
  assert.deepEqual(carryNext(waiting, view({ assigned: told, revisions: both })).networks, [
    { ...carried, revision: "edge-2" },
  ]);
});

test("a version that makes no sense is not carried: the one before stays, and a new network is named with the reason", () => {
  const told = { networks: [{ name: "edge", uid, revision: "edge-2" }] };
  const [subnet] = spec.routing;
  const bad = (cidr: string, pods = podNetworks) => {
    const data = { network: "edge", uid, spec: { ...spec, routing: [{ ...subnet, cidr }] } as NetworkSpec };
    return new Map([["edge-2", { ...data, podNetworks: pods }]]);
  };
  for (const wrong of [
    bad("foo"),
    bad("198.51.100.0/24\nflush ruleset"),
    bad("04da6b54-80e4-46f7-96ec-b56ff0331ba9"),
    bad("198.51.100.0/24", ["bar"]),
  ]) {
    const kept = carryNext(holding, view({ assigned: told, revisions: wrong }));
    assert.deepEqual(
      kept.networks.map(({ revision, notice }) => [revision, notice?.reason]),
      [["edge-1", "RevisionInvalid"]],
    );
    const fresh = carryNext(nothingCarried, view({ assigned: told, revisions: wrong }));
    assert.deepEqual([fresh.networks, fresh.unusable?.map(({ revision }) => revision)], [[], ["edge-2"]]);
  }
});

test("a revision of another network does not pass for this one", () => {
  const other = new Map([["edge-1", { network: "edge", uid: "uid-9", spec, podNetworks }]]);
  assert.deepEqual(carryNext(nothingCarried, view({ revisions: other })).networks, []);
});

test("a deletion that was asked for removes the network and is remembered while anything names it", () => {
  const deleting = [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })];
  assert.deepEqual(carryNext(holding, view({ publicNetworks: deleting })), holding);
  const removed = carryNext(holding, view({ publicNetworks: deleting, removedUids: [uid] }));
  assert.deepEqual(removed, { networks: [], removedUids: [uid] });
  // The object is gone before the assignment is: a stale assignment must not bring the network back.
  const stale = carryNext(removed, view({ publicNetworks: [] }));
  assert.deepEqual(stale, { networks: [], removedUids: [uid] });
  assert.deepEqual(carryNext(stale, view({ publicNetworks: [], assigned: { networks: [] } })), nothingCarried);
});

test("a uid in VlanRouter.status.removed removes the network", () => {
  assert.deepEqual(carryNext(holding, view({ publicNetworks: [], removedUids: [uid] })).networks, []);
});

test("mere absence keeps the network as Orphaned, assigned or not", () => {
  for (const told of [assigned, { networks: [] }]) {
    const kept = carryNext(holding, view({ publicNetworks: [], assigned: told, revisions: new Map() }));
    assert.equal(kept.networks[0]?.revision, "edge-1");
    assert.deepEqual(
      [kept.networks[0]?.notice?.type, kept.networks[0]?.notice?.reason],
      ["Orphaned", "PublicNetworkMissing"],
    );
  }
});

test("an object restored under the same uid ends the condition", () => {
  const orphan = carryNext(holding, view({ publicNetworks: [] }));
  assert.deepEqual(carryNext(orphan, view()), holding);
});

test("a network that is no longer assigned stays while its object selects this node", () => {
  const kept = carryNext(holding, view({ assigned: { networks: [] } }));
  assert.equal(kept.networks[0]?.notice?.reason, "NotAssigned");
});

test("a network that no longer selects this node, and is not assigned to it, is let go", () => {
  const elsewhere = [publicNetwork({}, { nodeSelector: { edge: "yes" } })];
  const gone = carryNext(holding, view({ publicNetworks: elsewhere, assigned: { networks: [] } }));
  assert.deepEqual(gone, nothingCarried);
  const stillTold = carryNext(holding, view({ publicNetworks: elsewhere }));
  assert.equal(stillTold.networks.length, 1);
  const selected = view({ publicNetworks: elsewhere, assigned: { networks: [] }, nodeLabels: { edge: "yes" } });
  assert.equal(carryNext(holding, selected).networks.length, 1);
});

test("an object made anew under the same name takes over from the orphan", () => {
  const anew = view({
    assigned: { networks: [{ name: "edge", uid: "uid-2", revision: "edge-2" }] },
    revisions: new Map([["edge-2", { network: "edge", uid: "uid-2", spec, podNetworks }]]),
    publicNetworks: [publicNetwork({ uid: "uid-2" })],
  });
  assert.deepEqual(
    carryNext(holding, anew).networks.map((network) => [network.uid, network.notice]),
    [["uid-2", undefined]],
  );
});

test("a network that stands in the kernel and is told by nobody is named until somebody says what becomes of it", () => {
  const unaccounted = (changed: Partial<AssignmentView>, previous = nothingCarried) => {
    const seen = view({ assigned: { networks: [] }, ...changed });
    return unaccountedNetworks(["edge"], carryNext(previous, seen), seen);
  };
  assert.deepEqual(unaccounted({}), ["edge"]);
  assert.deepEqual(unaccounted({ publicNetworks: [] }), ["edge"]);
  assert.deepEqual(unaccounted({ assigned }), []);
  assert.deepEqual(unaccounted({}, holding), []);
  const publicNetworks = [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })];
  assert.deepEqual(unaccounted({ publicNetworks }), ["edge"]);
  assert.deepEqual(unaccounted({ publicNetworks, removedUids: [uid] }), []);
  assert.deepEqual(unaccounted({ publicNetworks: [publicNetwork({}, { nodeSelector: { edge: "no" } })] }), []);
});
