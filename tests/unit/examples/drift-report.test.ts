import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

/** Steps as the engine printed them (`pulumi preview --refresh --json`, 3.274.1), with the properties that the report reads. */
const vlanRouter = "urn:pulumi:prod::drift-ci::vlan-router:index:VlanRouter";
const customers =
  "urn:pulumi:prod::drift-ci::vlan-router:index:PublicNetwork$pulumi-nodejs:dynamic/vlan-router:NetworkState::customers-state";

interface DriftReport {
  driftOf(preview: { readonly steps: readonly object[] }): readonly object[];
  renderDrift(drift: readonly object[]): string;
}

let report: DriftReport;

before(async () => {
  // It stands in an example, which runs as TypeScript.
  const file = join(process.cwd(), "examples/drift-ci/drift-report.mts");
  report = (await import(pathToFileURL(file).href)) as DriftReport;
});

const rendered = (...steps: readonly object[]) => report.renderDrift(report.driftOf({ steps }));

test("what is refreshed or stays the same is no drift", () => {
  assert.deepEqual(
    report.driftOf({
      steps: [
        { op: "refresh", urn: customers, oldState: { inputs: { drift: {} } }, newState: { inputs: { drift: {} } } },
        { op: "same", urn: customers, oldState: { inputs: { drift: {} } }, newState: { inputs: { drift: {} } } },
      ],
    }),
    [],
  );
});

test("deviations stand by network and node", () => {
  assert.equal(
    rendered({
      op: "update",
      urn: customers,
      oldState: {
        inputs: {
          name: "customers",
          drift: {
            n1: { "session 10.0.7.20": "Active" },
            n2: { "interface vxlan228": "missing", revision: "none, not customers-5e64d3aa3f" },
          },
        },
      },
      newState: { inputs: { name: "customers", drift: {} } },
      detailedDiff: {
        "drift.n1": { kind: "delete", inputDiff: true },
        "drift.n2": { kind: "delete", inputDiff: true },
      },
    }),
    [
      "network customers",
      "  n1: session 10.0.7.20 is Active",
      "  n2: interface vxlan228 is missing",
      "  n2: revision is none, not customers-5e64d3aa3f",
    ].join("\n"),
  );
});

test("agents, objects that are gone, and properties that differ are told too", () => {
  assert.equal(
    rendered(
      {
        op: "update",
        urn: `${vlanRouter}$pulumi-nodejs:dynamic/vlan-router:AgentRollout::router-rollout`,
        oldState: { inputs: { drift: { n2: { node: "NotReady" } } } },
        newState: { inputs: { drift: {} } },
        detailedDiff: { "drift.n2": { kind: "delete", inputDiff: true } },
      },
      {
        op: "create",
        urn: customers,
        newState: { inputs: { name: "customers", drift: {} } },
        detailedDiff: null,
      },
      {
        op: "update",
        urn: `${vlanRouter}$kubernetes:apps/v1:DaemonSet::router-agent`,
        oldState: { inputs: {} },
        newState: { inputs: {} },
        detailedDiff: { "spec.template.spec.priorityClassName": { kind: "update", inputDiff: false } },
      },
    ),
    [
      "agents",
      "  n2: node is NotReady",
      "network customers",
      "  up would create it",
      "kubernetes:apps/v1:DaemonSet router-agent",
      "  up would update it: spec.template.spec.priorityClassName",
    ].join("\n"),
  );
});
