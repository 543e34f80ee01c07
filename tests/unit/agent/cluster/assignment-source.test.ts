import assert from "node:assert/strict";
import { test } from "node:test";
import { AssignmentSource } from "../../../../agent-image/agent/cluster/assignment-source.js";
import type { AssignmentView } from "../../../../agent-image/agent/cluster/carried-networks.js";
import type { LastGood } from "../../../../agent-image/agent/core/last-good.js";

const nothingKept = { carried: () => undefined, keep: async () => undefined } as unknown as LastGood;
const nothingAssigned: AssignmentView = {
  assigned: { networks: [] },
  revisions: new Map(),
  publicNetworks: [],
  removedUids: [],
  nodeLabels: {},
};

function source(view: () => AssignmentView | undefined, standing: readonly string[], lastGood = nothingKept) {
  const warnings: object[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object) => warnings.push(fields),
    error: () => undefined,
  };
  return { source: new AssignmentSource(view, lastGood, standing, log), warnings };
}

test("before the API server was read, and with nothing kept, nobody has said anything", () => {
  assert.equal(source(() => undefined, []).source.desired(), undefined);
});

test("a lost configuration and a RouterNode that names nothing take nothing away from the kernel", () => {
  const { source: assignments, warnings } = source(() => nothingAssigned, ["edge"]);
  assert.equal(assignments.desired(), undefined);
  assert.equal(assignments.desired(), undefined);
  assert.deepEqual(warnings, [{ networks: ["edge"] }]);
});

test("what was kept goes when its removal is recorded, although it still stands in the kernel", () => {
  const network = { name: "edge", uid: "u1", revision: "edge-1", podNetworks: [], spec: {} };
  const kept = { carried: () => ({ networks: [network], removedUids: [] }) } as unknown as LastGood;
  const { source: assignments } = source(() => ({ ...nothingAssigned, removedUids: ["u1"] }), ["edge"], kept);
  assert.deepEqual(assignments.desired(), { networks: [] });
});

test("on a node where nothing stands an empty assignment is one", () => {
  assert.deepEqual(source(() => nothingAssigned, []).source.desired(), { networks: [] });
});
