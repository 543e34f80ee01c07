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

function source(view: () => AssignmentView | undefined, standing: readonly string[]) {
  const warnings: object[] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object) => warnings.push(fields),
    error: () => undefined,
  };
  return { source: new AssignmentSource(view, nothingKept, standing, log), warnings };
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

test("on a node where nothing stands an empty assignment is one", () => {
  assert.deepEqual(source(() => nothingAssigned, []).source.desired(), { networks: [] });
});
