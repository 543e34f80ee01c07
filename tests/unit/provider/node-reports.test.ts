import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { apiVersion } from "../../../model/index.js";
import type { NodeReportsOutputs } from "../../../provider/node-reports/state.js";
import { normal, report, start } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

const network = {
  apiVersion,
  kind: "PublicNetwork",
  metadata: { name: "customers", uid: "uid-1" },
  spec: normal,
} as const;

/** Agents have gone: nobody makes the objects again. */
async function abandoned(
  context: TestContext,
): Promise<{ readonly scenario: Scenario; readonly outs: NodeReportsOutputs }> {
  const scenario = await Scenario.start(context);
  scenario.server.agents = () => undefined;
  for (const node of ["n3", "n1", "n2"]) scenario.server.put("routernodes", report(node, undefined, start));
  const { outs } = await scenario.nodeReports.create({ cluster: scenario.arguments().cluster });
  return { scenario, outs };
}

test("the state holds the cluster, and a refresh finds it as it is", async (context) => {
  const { scenario, outs } = await abandoned(context);
  assert.deepEqual(outs, {
    cluster: { kubeconfig: scenario.server.kubeconfig },
    schemaVersion: 1,
    clusterUid: "5f4dcc3b-0000-4000-8000-000000000001",
  });
  assert.deepEqual(await scenario.nodeReports.read("node-reports", outs), { id: "node-reports", props: outs });
  assert.deepEqual(await scenario.nodeReports.update("node-reports", outs, { cluster: outs.cluster }), { outs });
});

test("nothing is removed before the agents go", async (context) => {
  const { scenario } = await abandoned(context);
  assert.deepEqual(scenario.server.reporting(), ["n3", "n1", "n2"]);
});

test("what the agents wrote goes after them", async (context) => {
  const { scenario, outs } = await abandoned(context);
  await scenario.nodeReports.delete("node-reports", outs);
  assert.deepEqual(scenario.server.reporting(), []);
  assert.deepEqual(scenario.environment.lines, []);
});

test("the report of a node that may still carry a network stays as the record, and says what to do", async (context) => {
  const { scenario, outs } = await abandoned(context);
  scenario.server.put("routernodes", report("n2", network, start));
  await scenario.nodeReports.delete("node-reports", outs);
  assert.deepEqual(scenario.server.reporting(), ["n2"]);
  assert.deepEqual(scenario.environment.lines, [
    "agents: n2 was not heard when customers went, and may still carry it; its RouterNode stays as the record. " +
      'When the node is back, run "vlan-router cleanup" on it, then "kubectl delete routernode n2"',
  ]);
});

test("without the definitions there is nothing to remove", async (context) => {
  const { scenario, outs } = await abandoned(context);
  scenario.server.undefinedKinds.add("routernodes");
  await scenario.nodeReports.delete("node-reports", outs);
  assert.deepEqual(scenario.environment.lines, []);
});

test("another cluster behind the same address keeps its reports", async (context) => {
  const { scenario, outs } = await abandoned(context);
  scenario.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  await assert.rejects(
    scenario.nodeReports.delete("node-reports", outs),
    /but the state was made in the cluster with uid 5f4dcc3b/,
  );
  assert.deepEqual(scenario.server.reporting(), ["n3", "n1", "n2"]);
});
