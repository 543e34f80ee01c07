import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, type PublicNetworkObject } from "../../../model/index.js";
import type { ClusterNode } from "../../../provider/kubernetes/kubernetes-client.js";
import { expectedNetwork, sessionGraceMs } from "../../../provider/network-state/expected-network.js";
import { networkLacks } from "../../../provider/network-state/network-lacks.js";
import { nodeOutputs } from "../../../provider/network-state/node-outputs.js";
import { describeLacks } from "../../../provider/node-lack.js";
import { normal, type ReportOptions, report, router, start } from "../../support/network-fixtures.js";

const object: PublicNetworkObject = {
  apiVersion,
  kind: "PublicNetwork",
  metadata: { name: "customers", uid: "uid-1" },
  spec: normal,
};
const expected = expectedNetwork(object, router);

function node(name: string, changes: Partial<ClusterNode> = {}): ClusterNode {
  return { name, labels: { "kubernetes.io/os": "linux" }, ready: true, podNetworks: [], ...changes };
}

function lacksOfOne(options: ReportOptions, graceMs = 0) {
  const snapshot = { nodes: [node("n1")], routerNodes: [report("n1", object, start, options)], now: start };
  return networkLacks(expected, snapshot, graceMs).lacks;
}

test("a node that carries the network lacks nothing", () => {
  assert.deepEqual(lacksOfOne({}), {});
});

const single: readonly (readonly [string, ReportOptions, Readonly<Record<string, string>>])[] = [
  ["an agent that stopped reporting", { silence: 91 }, { agent: "silent" }],
  [
    "an interface that is missing",
    { network: { interface: { name: "vxlan228", state: "missing" } } },
    { "interface vxlan228": "missing" },
  ],
  [
    "an interface that is down",
    { network: { interface: { name: "vxlan228", state: "down" } } },
    { "interface vxlan228": "down" },
  ],
  [
    "an older revision",
    { network: { revision: "customers-old" } },
    { revision: `customers-old, not ${expected.revision}` },
  ],
  ["no revision yet", { network: { revision: "" } }, { revision: `none, not ${expected.revision}` }],
  [
    "a session that is not up",
    { sessions: { "10.0.7.19": "Established", "10.0.7.20": "Active" } },
    { "session 10.0.7.20": "Active" },
  ],
  ["a session that is not reported", { sessions: { "10.0.7.19": "Established" } }, { "session 10.0.7.20": "missing" }],
  [
    "a condition that is False",
    {
      network: {
        conditions: [
          {
            type: "Ready",
            status: "False",
            reason: "NoVtepAddress",
            message: "no address in 10.0.7.0/24",
            lastTransitionTime: "",
          },
          { type: "PeerKeepsNoRoutes", status: "True", reason: "Measured", message: "FRR 8.4", lastTransitionTime: "" },
        ],
      },
    },
    { "condition Ready": "False (NoVtepAddress: no address in 10.0.7.0/24)" },
  ],
  [
    "a difference that stays",
    { network: { drift: ["rule 4016 from 203.0.113.0/24"] } },
    { kernel: "not as planned (rule 4016 from 203.0.113.0/24)" },
  ],
  [
    "a change on trial, which the agent says in its condition and as a difference,",
    {
      network: {
        conditions: [
          {
            type: "Applied",
            status: "False",
            reason: "Confirming",
            message: "revision customers-2 stands and is kept when all is as before: 10.0.7.19",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
        drift: [
          "ip -4 rule del priority 3000: RTNETLINK answers: No such process",
          "revision customers-2 stands and is kept when all is as before: 10.0.7.19",
        ],
      },
    },
    {
      "condition Applied":
        "False (Confirming: revision customers-2 stands and is kept when all is as before: 10.0.7.19)",
      kernel: "not as planned (ip -4 rule del priority 3000: RTNETLINK answers: No such process)",
    },
  ],
  [
    "a node that its agent cannot look at",
    {
      network: {
        conditions: [
          {
            type: "Applied",
            status: "Unknown",
            reason: "PassFailed",
            message: "ip is not there",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    },
    { "condition Applied": "Unknown (PassFailed: ip is not there)" },
  ],
  ["another object of the same name", { network: { uid: "uid-0" } }, { "network customers": "not applied" }],
];

for (const [what, options, lacks] of single) {
  test(`${what} is a lack`, () => {
    assert.deepEqual(lacksOfOne(options), { n1: lacks });
  });
}

test("a node that is itself a peer of the others has no session with itself", () => {
  const network = { interface: { name: "vxlan228", state: "up", local: "10.0.7.20" } } as const;
  assert.deepEqual(lacksOfOne({ network, sessions: { "10.0.7.19": "Established" } }), {});
  assert.deepEqual(lacksOfOne({ network, sessions: {} }), { n1: { "session 10.0.7.19": "missing" } });
});

test("a node that is itself a peer by the address that its sessions come from has no session with itself", () => {
  const session = {
    peer: "10.0.7.19",
    local: "10.0.7.20",
    state: "Established",
    since: new Date(start).toISOString(),
  } as const;
  const network = { interface: { name: "vxlan228", state: "up", local: "10.0.7.30" } } as const;
  assert.deepEqual(lacksOfOne({ network: { ...network, sessions: [session] } }), {});
});

test("the last heartbeat may be 90 seconds old", () => {
  assert.deepEqual(lacksOfOne({ silence: 90 }), {});
});

test("a session may be out for its hold time, not longer", () => {
  const sessions = { "10.0.7.19": "Established", "10.0.7.20": "Idle" } as const;
  const grace = sessionGraceMs(expected);
  assert.equal(grace, 30_000);
  // The agent's condition about them is False at once.
  const conditions = [
    {
      type: "SessionsEstablished",
      status: "False",
      reason: "SomeDown",
      message: "10.0.7.20 is Idle",
      lastTransitionTime: "2026-08-01T12:00:00.000Z",
    },
  ] as const;
  assert.deepEqual(lacksOfOne({ sessions, sessionAge: 29, network: { conditions } }, grace), {});
  assert.deepEqual(lacksOfOne({ sessions, sessionAge: 30, network: { conditions } }, grace), {
    n1: { "session 10.0.7.20": "Idle" },
  });
});

test("podNetworks belong to the revision", () => {
  const changed = { ...router, spec: { podNetworks: ["10.244.0.0/16"] } };
  assert.notEqual(expectedNetwork(object, changed).revision, expected.revision);
});

test("only selected Linux nodes count, and a node that is no longer selected must carry nothing", () => {
  const selective = { ...expected, spec: { ...normal, nodeSelector: { rack: "a" } } };
  const labels = { "kubernetes.io/os": "linux", rack: "a" };
  const snapshot = {
    nodes: [
      node("in", { labels }),
      node("out"),
      node("left", { labels: { rack: "b" } }),
      node("windows", { labels: { "kubernetes.io/os": "windows", rack: "a" } }),
    ],
    routerNodes: [report("in", object, start), report("left", object, start)],
    now: start,
  };
  const found = networkLacks(selective, snapshot, 0);
  assert.deepEqual(found, { lacks: { left: { "network customers": "still there" } }, away: [] });
  assert.deepEqual(nodeOutputs(selective, snapshot, found).nodeCount, 1);
});

test("nodes without an agent lack it; nodes that Kubernetes does not hear from are away; all sorted", () => {
  const snapshot = {
    nodes: [node("n10"), node("n3", { ready: false }), node("n2"), node("n1", { ready: false })],
    routerNodes: [],
    now: start,
  };
  const found = networkLacks(expected, snapshot, 0);
  assert.deepEqual(found, { lacks: { n10: { agent: "missing" }, n2: { agent: "missing" } }, away: ["n1", "n3"] });
  assert.equal(JSON.stringify(found.lacks), '{"n10":{"agent":"missing"},"n2":{"agent":"missing"}}');
  assert.deepEqual(describeLacks(found.lacks), ["n10: agent is missing", "n2: agent is missing"]);
});

test("outputs hold each node's interface and sessions, and nothing that changes by itself", () => {
  const snapshot = {
    nodes: [node("n2"), node("n1")],
    routerNodes: [report("n1", object, start, { sessions: { "10.0.7.20": "Active", "10.0.7.19": "Established" } })],
    now: start,
  };
  const outputs = nodeOutputs(expected, snapshot, networkLacks(expected, snapshot, 0));
  assert.equal(
    JSON.stringify(outputs),
    '{"nodes":{"n1":{"interface":"up","sessions":{"10.0.7.19":"Established","10.0.7.20":"Active"}},' +
      '"n2":{"interface":"unknown","sessions":{}}},"nodeCount":2,"ready":false}',
  );
});

test("outputs name the conditions that say something to know of a network that stands, and no more of them", () => {
  const times = { message: "now 1400", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const conditions = [
    { type: "StateNotKept", status: "True", reason: "StateNotKept", ...times },
    { type: "Applied", status: "True", reason: "Applied", ...times },
    { type: "MtuBelowSegment", status: "True", reason: "MtuBelowSegment", ...times },
    { type: "SessionsEstablished", status: "True", reason: "AllEstablished", ...times },
  ] as const;
  const routerNodes = [report("n1", object, start, { network: { conditions } })];
  const snapshot = { nodes: [node("n1")], routerNodes, now: start };
  assert.deepEqual(nodeOutputs(expected, snapshot, networkLacks(expected, snapshot, 0)), {
    nodes: {
      n1: {
        interface: "up",
        sessions: { "10.0.7.19": "Established", "10.0.7.20": "Established" },
        conditions: ["MtuBelowSegment", "StateNotKept"],
      },
    },
    nodeCount: 1,
    ready: true,
  });
});

test("above 200 nodes only those that deviate are listed", () => {
  const names = Array.from({ length: 201 }, (_, index) => `n${index}`);
  const snapshot = {
    nodes: names.map((name) => node(name)),
    routerNodes: names.slice(1).map((name) => report(name, object, start)),
    now: start,
  };
  const outputs = nodeOutputs(expected, snapshot, networkLacks(expected, snapshot, 0));
  assert.deepEqual(outputs, { nodes: { n0: { interface: "unknown", sessions: {} } }, nodeCount: 201, ready: false });
});

test("a network that no node carries is not ready", () => {
  const snapshot = { nodes: [], routerNodes: [], now: start };
  assert.equal(nodeOutputs(expected, snapshot, networkLacks(expected, snapshot, 0)).ready, false);
});
