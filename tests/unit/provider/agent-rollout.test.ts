import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownValue } from "../../../model/index.js";
import type { AgentRolloutArguments } from "../../../provider/agent-rollout/state.js";
import { PartialFailure } from "../../../provider/partial-failure.js";
import { podNetworks, router, start } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

function argumentsOf(scenario: Scenario, changes: Partial<AgentRolloutArguments> = {}): AgentRolloutArguments {
  const cluster = { kubeconfig: scenario.server.kubeconfig };
  return { cluster, image: "agent:1", podNetworks, timeoutSeconds: 60, ...changes };
}

async function inputsOf(scenario: Scenario, changes: Partial<AgentRolloutArguments> = {}) {
  const { inputs, failures } = await scenario.agentRollout.check({}, argumentsOf(scenario, changes));
  assert.deepEqual(failures, []);
  return inputs;
}

test("the roll-out waits until every node reports the wanted image", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.reports.n1 = "absent";
  scenario.reports.n2 = { image: "agent:0" };
  scenario.reports.n3 = { silence: 120 };
  scenario.healsAfter = 2_000;
  scenario.agents();
  const { id, outs } = await scenario.agentRollout.create(await inputsOf(scenario));
  assert.equal(id, "agents");
  assert.deepEqual(outs.nodes, ["n1", "n2", "n3"]);
  assert.deepEqual(scenario.environment.lines, [
    "agents: 0 of 3 nodes run agent:1; n1: agent is missing; n2: agent image is agent:0; n3: agent is silent",
    "agents: 3 nodes run agent:1",
  ]);
});

test("F3: at the deadline the nodes that do not run it are named, and the resource is kept", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.reports.n2 = "absent";
  scenario.agents();
  await assert.rejects(scenario.agentRollout.create(await inputsOf(scenario)), (error: unknown) => {
    assert.ok(error instanceof PartialFailure);
    assert.deepEqual(error.reasons.slice(1), ["n2: agent is missing"]);
    assert.match(
      error.reasons[0] ?? "",
      /agent:1 does not run on every node after 60 s; "kubectl -n vlan-router get pods/,
    );
    assert.deepEqual(error.properties.nodes, ["n1", "n3"]);
    return true;
  });
  assert.equal(scenario.environment.now(), start + 60_000);
});

test("F6: a node that is not Ready is not waited for; a refresh names it", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: false });
  scenario.reports.n4 = "absent";
  scenario.agents();
  const inputs = await inputsOf(scenario);
  const { outs } = await scenario.agentRollout.create(inputs);
  const read = await scenario.agentRollout.read("agents", outs);
  assert.deepEqual(read.inputs, { ...inputs, drift: { n4: { node: "NotReady" } } });
});

test("a healthy fleet has no drift; an agent of another image is drift", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.agents();
  const inputs = await inputsOf(scenario);
  const { outs } = await scenario.agentRollout.create(inputs);
  assert.deepEqual(await scenario.agentRollout.read("agents", outs), { id: "agents", inputs, props: outs });
  scenario.reports.n3 = { image: "agent:0" };
  scenario.agents();
  const read = await scenario.agentRollout.read("agents", outs);
  assert.deepEqual(read.inputs?.drift, { n3: { "agent image": "agent:0" } });
  assert.deepEqual(read.props?.nodes, ["n1", "n2"]);
});

test("what an agent says of its node is drift and told after the wait, which it does not hold", async (context) => {
  const scenario = await Scenario.start(context);
  const times = { status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" } as const;
  const conditions = [
    { type: "BridgeInUse", reason: "BridgeInUse", message: "br228 has the port tap0 of others", ...times },
    { type: "PassFailed", reason: "Error", message: "ip is not there", ...times },
  ];
  scenario.reports.n2 = { conditions };
  scenario.agents();
  const { outs } = await scenario.agentRollout.create(await inputsOf(scenario));
  assert.deepEqual(scenario.environment.lines, [
    "agents: 3 nodes run agent:1",
    "agents: n2: condition BridgeInUse is True (br228 has the port tap0 of others), condition PassFailed is True (Error: ip is not there)",
  ]);
  scenario.reports.n2 = { conditions, image: "agent:0" };
  scenario.agents();
  assert.deepEqual((await scenario.agentRollout.read("agents", outs)).inputs?.drift, {
    n2: {
      "agent image": "agent:0",
      "condition BridgeInUse": "True (br228 has the port tap0 of others)",
      "condition PassFailed": "True (Error: ip is not there)",
    },
  });
});

test("the agents stay while a network exists, whoever made it", async (context) => {
  const scenario = await Scenario.start(context);
  await scenario.networkState.create(await scenario.checked());
  const { outs } = await scenario.agentRollout.create(await inputsOf(scenario));
  await assert.rejects(
    scenario.agentRollout.delete("agents", outs),
    /public networks customers, which only agents can remove/,
  );
  scenario.server.remove("publicnetworks", "customers");
  await scenario.agentRollout.delete("agents", outs);
});

test("a cluster that is made or cannot be reached now has no nodes to compare with", async (context) => {
  const scenario = await Scenario.start(context);
  const later = argumentsOf(scenario, { cluster: { kubeconfig: unknownValue } });
  assert.deepEqual((await scenario.agentRollout.check({}, later)).failures, []);
  assert.deepEqual(scenario.environment.lines, []);
  await scenario.server.stop();
  assert.deepEqual((await scenario.agentRollout.check({}, argumentsOf(scenario))).failures, []);
});

test("what the nodes say of their CNI and pod networks is compared with the program", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push(
    { name: "n4", ready: true, networkReason: "CiliumIsUp", podCIDRs: ["10.244.4.0/24", "fd00:10:244:4::/64"] },
    { name: "n5", ready: true, networkReason: "CiliumIsUp", podCIDRs: ["10.250.0.0/24"] },
  );
  await inputsOf(scenario);
  assert.deepEqual(scenario.environment.lines, [
    'agents: warning: nodes run cilium, and no cni is named; write cni: "cilium", so that its routing tables, tunnels and marks are left to it',
    "agents: warning: podNetworks does not hold the pod network fd00:10:244:4::/64 of n4 and 1 more: pods there would not reach public addresses of this cluster; add it, if pods have such addresses",
  ]);
  scenario.environment.lines.length = 0;
  await inputsOf(scenario, { cni: "calico", podNetworks: ["10.0.0.0/8", "fd00::/16"] });
  assert.deepEqual(scenario.environment.lines, [
    'agents: warning: nodes run cilium, not calico; write cni: "cilium", so that its routing tables, tunnels and marks are left to it',
  ]);
  scenario.environment.lines.length = 0;
  await inputsOf(scenario, { cni: "cilium", podNetworks: ["10.0.0.0/8", "fd00::/16"] });
  assert.deepEqual(scenario.environment.lines, []);
});

test("a node that is away holds the roll-out when none may be", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: false });
  scenario.reports.n4 = "absent";
  scenario.agents();
  await assert.rejects(
    scenario.agentRollout.create(await inputsOf(scenario, { tolerateUnreachable: 0 })),
    (error: unknown) => {
      assert.ok(error instanceof PartialFailure);
      assert.deepEqual(error.reasons.slice(1), [
        "n4 is not Ready in Kubernetes; it is waited for, because nodes.tolerateUnreachable is 0",
      ]);
      return true;
    },
  );
  await scenario.agentRollout.create(await inputsOf(scenario, { tolerateUnreachable: 1 }));
  assert.deepEqual(scenario.environment.lines.slice(-2), [
    "agents: n4 is not Ready in Kubernetes; its agent is updated when it returns",
    "agents: 3 nodes run agent:1",
  ]);
});

test("a field that somebody added to the VlanRouter is drift, which an update removes; what no refresh has shown stays", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.agents();
  const { outs } = await scenario.agentRollout.create(await inputsOf(scenario));
  const put = (cni: "calico" | "cilium") => {
    const fieldsV1 = { "f:spec": { "f:cni": {} } };
    const metadata = { name: "default", resourceVersion: "7", managedFields: [{ manager: "kubectl-edit", fieldsV1 }] };
    scenario.server.put("vlanrouters", { ...router, metadata, spec: { podNetworks, cni } });
  };
  put("calico");
  const { props } = await scenario.agentRollout.read("agents", outs);
  assert.ok(props);
  assert.deepEqual(props.drift["(cluster)"], {
    "VlanRouter default spec.cni": "calico (written by kubectl-edit), not unset",
  });
  put("cilium");
  await scenario.agentRollout.update("agents", props, await inputsOf(scenario));
  assert.equal(scenario.server.router()?.spec.cni, "cilium");
  put("calico");
  await scenario.agentRollout.update("agents", outs, await inputsOf(scenario));
  assert.equal(scenario.server.router()?.spec.cni, "calico");
  await scenario.agentRollout.update("agents", props, await inputsOf(scenario));
  assert.deepEqual(scenario.server.router()?.spec, { podNetworks });
});
