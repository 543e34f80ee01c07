import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { apiVersion, unknownValue } from "../../../model/index.js";
import type { NodeReportsInputs, NodeReportsOutputs } from "../../../provider/node-reports/state.js";
import { normal, report, router, start } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

const network = {
  apiVersion,
  kind: "PublicNetwork",
  metadata: { name: "customers", uid: "uid-1" },
  spec: normal,
} as const;

const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router";
const theirs = "infra/stage urn:pulumi:stage::infra::vlan-router:index:VlanRouter::router";

function inputsOf({ server }: Scenario): NodeReportsInputs {
  return { cluster: { kubeconfig: server.kubeconfig }, owner };
}

/** The VlanRouter object as a stack of this owner made it; as nobody's when absent. */
function putRouter(scenario: Scenario, annotation?: string): void {
  const annotations = annotation === undefined ? {} : { "vlan-router.io/owner": annotation };
  scenario.server.put("vlanrouters", { ...router, metadata: { name: "default", annotations } });
}

async function reasonsOf(scenario: Scenario, olds = {}): Promise<readonly string[]> {
  const { failures } = await scenario.nodeReports.check(olds, inputsOf(scenario));
  return failures.map(({ reason }) => reason);
}

/** Agents have gone: nobody makes the objects again. */
async function abandoned(
  context: TestContext,
): Promise<{ readonly scenario: Scenario; readonly outs: NodeReportsOutputs }> {
  const scenario = await Scenario.start(context);
  scenario.server.agents = () => undefined;
  for (const node of ["n3", "n1", "n2"]) scenario.server.put("routernodes", report(node, undefined, start));
  const { outs } = await scenario.nodeReports.create(inputsOf(scenario));
  return { scenario, outs };
}

test("the state holds the cluster, and a refresh finds it as it is", async (context) => {
  const { scenario, outs } = await abandoned(context);
  assert.deepEqual(outs, {
    cluster: { kubeconfig: scenario.server.kubeconfig },
    owner,
    schemaVersion: 1,
    clusterUid: "5f4dcc3b-0000-4000-8000-000000000001",
  });
  assert.deepEqual(await scenario.nodeReports.read("node-reports", outs), { id: "node-reports", props: outs });
  assert.deepEqual(await scenario.nodeReports.update("node-reports", outs, inputsOf(scenario)), { outs });
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

test("pods of nodes that are away do not hold the destroy, pods of other nodes end by themselves", async (context) => {
  const { scenario, outs } = await abandoned(context);
  scenario.server.endingPods = [
    { name: "agent-1", node: "n1" },
    { name: "agent-2", node: "n2" },
    { name: "agent-3", node: "n3" },
  ];
  for (const node of scenario.server.nodes) node.ready = node.name !== "n2";
  scenario.whileSleeping = () => {
    const { endingPods = [] } = scenario.server;
    scenario.server.endingPods = endingPods.length === 0 ? undefined : endingPods.slice(1);
  };
  await scenario.nodeReports.delete("node-reports", outs);
  assert.deepEqual(scenario.environment.lines, [
    "agents: n2 is not Ready in Kubernetes; its pod agent-2 is deleted without it",
    "agents: waiting until namespace vlan-router has gone; it still has agent-1 on n1, agent-3 on n3",
    "agents: waiting until namespace vlan-router has gone; it still has agent-3 on n3",
    "agents: waiting until namespace vlan-router has gone",
  ]);
  assert.deepEqual(scenario.server.reporting(), []);
});

test("a namespace that does not go is an error that names what is left, and the reports stay", async (context) => {
  const { scenario, outs } = await abandoned(context);
  scenario.server.endingPods = [{ name: "agent-1", node: "n1" }];
  await assert.rejects(scenario.nodeReports.delete("node-reports", outs), {
    message:
      "agents: waiting until namespace vlan-router has gone; it still has agent-1 on n1: not done after 300 s. " +
      '"kubectl get namespace vlan-router -o yaml" says what holds it; "pulumi destroy" waits again',
  });
  assert.deepEqual(scenario.server.reporting(), ["n3", "n1", "n2"]);
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

test("a router for a cluster that has one of another stack is refused at preview, by that stack's name", async (context) => {
  const scenario = await Scenario.start(context);
  putRouter(scenario, theirs);
  const refusal = [
    "VlanRouter default belongs to stack infra/stage (urn:pulumi:stage::infra::vlan-router:index:VlanRouter::router); a cluster has one: " +
      "leave the VlanRouter component out of this program, its networks then use the one that is there, or remove it from that stack first",
  ];
  assert.deepEqual(await reasonsOf(scenario), refusal);
  // Taken over from outside: the next update is refused too.
  assert.deepEqual(await reasonsOf(scenario, inputsOf(scenario)), refusal);
});

test("a router that the stack made under another name is its own", async (context) => {
  const scenario = await Scenario.start(context);
  putRouter(scenario, theirs);
  assert.deepEqual(await reasonsOf(scenario, { ...inputsOf(scenario), owner: theirs }), []);
});

test("a router that nobody's stack made is refused, unless the state holds it from before owners were written", async (context) => {
  const scenario = await Scenario.start(context);
  putRouter(scenario);
  assert.match(
    (await reasonsOf(scenario)).join(),
    /^VlanRouter default exists and no Pulumi stack owns it \(it has no annotation vlan-router\.io\/owner\); a cluster has one/,
  );
  assert.deepEqual(await reasonsOf(scenario, inputsOf(scenario)), []);
});

test("two routers in one program are refused, a renamed one is not", async (context) => {
  const scenario = await Scenario.start(context);
  putRouter(scenario, owner.replace("::router", "::first"));
  assert.match((await reasonsOf(scenario)).join(), /VlanRouter default already belongs to urn:.*::first of this stack/);
  assert.deepEqual(await reasonsOf(scenario, inputsOf(scenario)), []);
});

test("two routers of one program are refused on a cluster that has none, by both names, also where it does not answer", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.remove("vlanrouters", "default");
  const second = { ...inputsOf(scenario), owner: owner.replace("::router", "::second") };
  assert.deepEqual(await reasonsOf(scenario), []);
  const { failures } = await scenario.nodeReports.check({}, second);
  assert.deepEqual(
    failures.map(({ reason }) => reason),
    [
      "a cluster has one VlanRouter, and this program declares two for it: urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router and " +
        "urn:pulumi:prod::infra::vlan-router:index:VlanRouter::second; declare one and give it to the networks of both, or name " +
        "another cluster in one of them",
    ],
  );
  await scenario.server.stop();
  assert.equal((await scenario.nodeReports.check({}, second)).failures.length, 1);
});

test("routers of one program for two clusters pass", async (context) => {
  const scenario = await Scenario.start(context);
  const other = await Scenario.start(context);
  other.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  for (const { server } of [scenario, other]) server.remove("vlanrouters", "default");
  assert.deepEqual(await reasonsOf(scenario), []);
  const second = { ...inputsOf(other), owner: owner.replace("::router", "::second") };
  assert.deepEqual((await scenario.nodeReports.check({}, second)).failures, []);
});

test("its own router, none, and a cluster that is made or cannot be reached now are no reason to refuse", async (context) => {
  const scenario = await Scenario.start(context);
  putRouter(scenario, owner);
  assert.deepEqual(await reasonsOf(scenario), []);
  scenario.server.remove("vlanrouters", "default");
  assert.deepEqual(await reasonsOf(scenario), []);
  const later = { cluster: { kubeconfig: unknownValue }, owner };
  assert.deepEqual((await scenario.nodeReports.check({}, later)).failures, []);
  assert.deepEqual(scenario.environment.lines, []);
  await scenario.server.stop();
  assert.deepEqual(await reasonsOf(scenario), []);
  assert.match(
    scenario.environment.lines.join("\n"),
    /^cluster: warning: what it already has, and whether its VlanRouter is of another stack, is found only at deployment, because .*ECONNREFUSED/,
  );
});
