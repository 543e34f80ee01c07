import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type RolloutAction,
  type RolloutState,
  rollout,
  type StoredRevision,
} from "../../../../agent-image/agent/cluster/rollout.js";
import {
  type AssignedRevision,
  apiVersion,
  type NetworkSpec,
  type NetworkStatus,
  nodesFinalizer,
  type PublicNetworkObject,
  type RouterNodeObject,
  type VlanRouterObject,
} from "../../../../model/index.js";

const uid = "uid-1";

function vlan(id: number): NetworkSpec {
  return { type: "vlan", vlan: { parent: "bond0", id }, routing: [] };
}

function publicNetwork(metadata: Partial<PublicNetworkObject["metadata"]> = {}, spec = vlan(220)): PublicNetworkObject {
  return {
    apiVersion,
    kind: "PublicNetwork",
    metadata: { name: "edge", uid, finalizers: [nodesFinalizer], ...metadata },
    spec,
  };
}

const router: VlanRouterObject = {
  apiVersion,
  kind: "VlanRouter",
  metadata: { name: "default" },
  spec: { podNetworks: ["10.244.0.0/16"] },
};

function stored(name: string, revision: number, spec = vlan(220)): StoredRevision {
  return { name, revision, data: { network: "edge", uid, spec, podNetworks: router.spec.podNetworks } };
}

const told: AssignedRevision = { name: "edge", uid, revision: "edge-220" };

/** A RouterNode that is told `assigned` and reports networks with these uids. */
function routerNode(name: string, assigned: readonly AssignedRevision[], reported: readonly string[] = []) {
  const networks = reported.map(
    (reportedUid) => ({ name: "edge", uid: reportedUid, revision: "edge-220" }) as NetworkStatus,
  );
  return {
    apiVersion,
    kind: "RouterNode",
    metadata: { name },
    spec: { networks: assigned },
    status: { agent: { version: "0", image: "" }, heartbeatTime: "2026-01-01T10:00:00Z", networks },
  } as const satisfies RouterNodeObject;
}

/** Names a version after its VLAN id and the number of pod networks, where the product uses a hash of the content. */
const revisionName: RolloutState["revisionName"] = ({ network, spec, podNetworks }) =>
  `${network}-${spec.type === "vlan" ? spec.vlan.id : 0}${podNetworks.length === 1 ? "" : `-${podNetworks.length}`}`;

const settled: RolloutState = {
  router,
  networks: [publicNetwork()],
  deletions: { asked: new Set([uid]), swept: new Set() },
  nodes: [
    { name: "n1", labels: {}, ready: true },
    { name: "n2", labels: {}, ready: true },
  ],
  routerNodes: [routerNode("n1", [told], [uid]), routerNode("n2", [told], [uid])],
  revisions: [stored("edge-220", 1)],
  now: Date.parse("2026-01-01T10:00:30Z"),
  revisionName,
};

function text(actions: readonly RolloutAction[]): string[] {
  return actions.map((action) => {
    switch (action.kind) {
      case "assign":
        return `assign ${action.node} [${action.networks.map(({ revision }) => revision).join(" ")}]`;
      case "create-revision":
        return `create ${action.revision.name} as ${action.revision.revision}`;
      case "delete-revision":
        return `delete ${action.name}`;
      case "record-removed":
        return `record ${action.removed.join(" ")}`;
      default:
        return `${action.kind} ${action.network.metadata.name}`;
    }
  });
}

test("a settled cluster needs nothing", () => {
  assert.deepEqual(rollout(settled), []);
});

test("a new network gets its finalizer and version before any node is told", () => {
  const fresh: RolloutState = {
    ...settled,
    networks: [publicNetwork({ finalizers: [] })],
    revisions: [],
    routerNodes: [routerNode("n2", []), routerNode("n1", [])],
  };
  assert.deepEqual(text(rollout(fresh)), [
    "add-finalizer edge",
    "create edge-220 as 1",
    "assign n1 [edge-220]",
    "assign n2 [edge-220]",
  ]);
});

test("a change makes a version with the next number and tells every node", () => {
  assert.deepEqual(text(rollout({ ...settled, networks: [publicNetwork({}, vlan(221))] })), [
    "create edge-221 as 2",
    "assign n1 [edge-221]",
    "assign n2 [edge-221]",
  ]);
});

test("going back to a kept version makes no new one", () => {
  const back = {
    ...settled,
    networks: [publicNetwork({}, vlan(221))],
    revisions: [stored("edge-221", 1), stored("edge-220", 2)],
  };
  assert.deepEqual(text(rollout(back)), ["assign n1 [edge-221]", "assign n2 [edge-221]"]);
});

test("a change of podNetworks is a change of every network", () => {
  const wider = { ...router, spec: { podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] } };
  assert.deepEqual(text(rollout({ ...settled, router: wider })), [
    "create edge-220-2 as 2",
    "assign n1 [edge-220-2]",
    "assign n2 [edge-220-2]",
  ]);
});

test("only selected nodes are told, and a node that is no longer selected is told so", () => {
  const selective = publicNetwork({}, { ...vlan(220), nodeSelector: { edge: "yes" } });
  const nodes = [
    { name: "n1", labels: { edge: "yes" }, ready: true },
    { name: "n2", labels: {}, ready: true },
  ];
  assert.deepEqual(text(rollout({ ...settled, networks: [selective], nodes })), ["assign n2 []"]);
});

test("without a VlanRouter nothing is made and nothing taken away", () => {
  const { router: _, ...without } = settled;
  assert.deepEqual(rollout({ ...without, networks: [publicNetwork({}, vlan(221))] }), []);
});

test("a deleted network stays assigned where it is, and is not given to new nodes", () => {
  const deleting: RolloutState = {
    ...settled,
    networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })],
    nodes: [...settled.nodes, { name: "n3", labels: {}, ready: true }],
    routerNodes: [...settled.routerNodes, routerNode("n3", [])],
  };
  assert.deepEqual(rollout(deleting), []);
});

test("a node that has let go is told no longer; the finalizer goes after the last one, with the versions", () => {
  const deleting = { ...settled, networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })] };
  const half = { ...deleting, routerNodes: [routerNode("n1", [told]), routerNode("n2", [told], [uid])] };
  assert.deepEqual(text(rollout(half)), ["assign n1 []"]);
  const told1 = { ...deleting, routerNodes: [routerNode("n1", []), routerNode("n2", [told])] };
  assert.deepEqual(text(rollout(told1)), ["assign n2 []"]);
  const clean = { ...deleting, routerNodes: [routerNode("n1", []), routerNode("n2", [])] };
  assert.deepEqual(text(rollout(clean)), ["remove-finalizer edge", "delete edge-220"]);
});

test("a deletion that the definition's brought along lets the object go at once and takes nothing from the nodes", () => {
  const deleting = { ...settled, networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })] };
  const swept = { ...deleting, deletions: { asked: new Set<string>(), swept: new Set([uid]) } };
  assert.deepEqual(text(rollout(swept)), ["remove-finalizer edge"]);
  assert.deepEqual(text(rollout({ ...swept, networks: [] })), []);
});

test("before a deletion is judged the finalizer stays", () => {
  const clean = {
    ...settled,
    networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })],
    routerNodes: [routerNode("n1", []), routerNode("n2", [])],
    deletions: { asked: new Set<string>(), swept: new Set<string>() },
  };
  assert.deepEqual(text(rollout(clean)), []);
});

test("a RouterNode whose Node is gone counts as clean", () => {
  const deleting: RolloutState = {
    ...settled,
    networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })],
    nodes: [{ name: "n1", labels: {}, ready: true }],
    routerNodes: [routerNode("n1", []), routerNode("n2", [told], [uid])],
  };
  assert.deepEqual(text(rollout(deleting)), ["remove-finalizer edge", "delete edge-220"]);
});

test("a node that is away holds up no removal: it is recorded, and the node is told no longer", () => {
  const deleting: RolloutState = {
    ...settled,
    networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })],
    nodes: [
      { name: "n1", labels: {}, ready: true },
      { name: "n2", labels: {}, ready: false },
    ],
    routerNodes: [routerNode("n1", []), routerNode("n2", [told], [uid])],
  };
  // Its kubelet is silent, its agent was heard of 90 s ago.
  const silent = { ...deleting, now: Date.parse("2026-01-01T10:01:30.001Z") };
  assert.deepEqual(text(rollout({ ...silent, now: silent.now - 1 })), []);
  assert.deepEqual(text(rollout(silent)), [`record ${uid}`]);
  const recorded = { ...silent, router: { ...router, status: { removed: ["uid-0", uid] } } };
  assert.deepEqual(text(rollout(recorded)), ["remove-finalizer edge", "delete edge-220"]);
  const gone = { ...recorded, networks: [], revisions: [] };
  assert.deepEqual(text(rollout(gone)), ["assign n2 []"]);
  // A node that is there holds it up as long as it carries the network.
  const carrying = { ...silent, routerNodes: [routerNode("n1", [told], [uid]), routerNode("n2", [told], [uid])] };
  assert.deepEqual(text(rollout(carrying)), []);
});

test("of removals that are recorded the latest 256 are kept", () => {
  const removed = Array.from({ length: 256 }, (_, index) => `uid-old-${index}`);
  const [action] = rollout({
    ...settled,
    router: { ...router, status: { removed } },
    networks: [publicNetwork({ deletionTimestamp: "2026-01-01T10:00:00Z" })],
    nodes: [{ name: "n1", labels: {}, ready: false }],
    routerNodes: [routerNode("n1", [told], [uid])],
    now: Date.parse("2026-01-01T11:00:00Z"),
  });
  assert.deepEqual(action?.kind === "record-removed" && action.removed, [...removed.slice(1), uid]);
});

test("versions of a network that is gone go too, but not while a node is told or carries one", () => {
  const gone: RolloutState = { ...settled, networks: [], routerNodes: [routerNode("n1", []), routerNode("n2", [])] };
  assert.deepEqual(text(rollout(gone)), ["delete edge-220"]);
  assert.deepEqual(text(rollout({ ...settled, networks: [] })), []);
});

test("a network whose object is missing stays assigned; recorded as removed it does not", () => {
  assert.deepEqual(rollout({ ...settled, networks: [] }), []);
  const recorded = { ...router, status: { removed: [uid] } };
  assert.deepEqual(text(rollout({ ...settled, router: recorded, networks: [] })), ["assign n1 []", "assign n2 []"]);
});

test("an object made anew under the same name replaces the assignment of the old one", () => {
  const anew = publicNetwork({ uid: "uid-2" });
  const actions = rollout({ ...settled, networks: [anew], revisionName: () => "edge-new" });
  assert.deepEqual(text(actions), ["create edge-new as 1", "assign n1 [edge-new]", "assign n2 [edge-new]"]);
});

test("three versions are kept, and older ones that a node still carries", () => {
  const revisions = [1, 2, 3, 4, 5].map((revision) => stored(`edge-${215 + revision}`, revision, vlan(215 + revision)));
  const behind: RolloutState = {
    ...settled,
    revisions,
    routerNodes: [routerNode("n1", [told], [uid]), routerNode("n2", [{ ...told, revision: "edge-216" }])],
  };
  assert.deepEqual(text(rollout(behind)), ["assign n2 [edge-220]", "delete edge-217"]);
});

test("fields that the API server adds to an assignment are no difference", () => {
  const padded = { ...told, later: "field" } as AssignedRevision;
  assert.deepEqual(rollout({ ...settled, routerNodes: [routerNode("n1", [padded]), routerNode("n2", [told])] }), []);
});
