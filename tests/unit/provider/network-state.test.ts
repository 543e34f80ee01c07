import assert from "node:assert/strict";
import { test } from "node:test";
import type { NetworkStateOutputs } from "../../../provider/network-state/state.js";
import { PartialFailure } from "../../../provider/partial-failure.js";
import { normal, start } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

const established = { interface: "up", sessions: { "10.0.7.19": "Established", "10.0.7.20": "Established" } };

async function created(scenario: Scenario): Promise<NetworkStateOutputs> {
  return (await scenario.networkState.create(await scenario.checked())).outs;
}

test("create applies the object under our own name and returns what every node has", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  const { id, outs } = await scenario.networkState.create(inputs);
  assert.equal(id, "customers");
  assert.deepEqual(outs, {
    ...inputs,
    schemaVersion: 1,
    uid: scenario.server.network("customers")?.metadata.uid,
    clusterUid: "5f4dcc3b-0000-4000-8000-000000000001",
    nodes: { n1: established, n2: established, n3: established },
    nodeCount: 3,
    ready: true,
  });
  const apply = scenario.server.requests.find(({ method }) => method === "PATCH");
  assert.equal(apply?.contentType, "application/apply-patch+yaml");
  assert.deepEqual(Object.fromEntries(apply?.query ?? []), {
    fieldManager: "pulumi-vlan-router",
    fieldValidation: "Strict",
    force: "false",
  });
  assert.deepEqual(apply?.body, {
    apiVersion: "vlan-router.io/v1alpha1",
    kind: "PublicNetwork",
    metadata: {
      name: "customers",
      finalizers: ["vlan-router.io/nodes"],
      annotations: { "vlan-router.io/owner": owner },
    },
    spec: normal,
  });
});

test("create waits for the nodes and says what it waits for, once for each change", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.reports.n1 = "absent";
  scenario.reports.n3 = { sessions: { "10.0.7.19": "Established", "10.0.7.20": "OpenSent" } };
  scenario.healsAfter = 3_000;
  await created(scenario);
  assert.deepEqual(scenario.environment.lines, [
    "network customers: 1 of 3 nodes carry it; n1: agent is missing; n3: session 10.0.7.20 is OpenSent",
    "network customers: 3 of 3 nodes carry it",
  ]);
  assert.equal(scenario.environment.now(), start + 3_000);
});

test("a node that never gets there ends the wait at the deadline, and the resource is kept with node and reason", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.reports.n2 = { network: { interface: { name: "vxlan228", state: "missing" } } };
  const inputs = { ...(await scenario.checked()), __provider: "text of the provider" };
  await assert.rejects(scenario.networkState.create(inputs), (error: unknown) => {
    assert.ok(error instanceof PartialFailure);
    assert.equal(error.id, "customers");
    assert.deepEqual(error.reasons, [
      'network customers is declared, but not every node carries it after 120 s; the nodes keep trying, and "pulumi up" waits for them again',
      "n2: interface vxlan228 is missing",
    ]);
    assert.equal(error.properties.uid, scenario.server.network("customers")?.metadata.uid);
    // Without it the engine could neither refresh nor delete the resource.
    assert.equal(error.properties.__provider, "text of the provider");
    assert.equal(error.properties.ready, false);
    return true;
  });
  assert.equal(scenario.environment.now(), start + 120_000);
});

test("whatever fails once the object is there, the resource is kept with its uid", async (context) => {
  const failures: readonly (readonly [RegExp, (scenario: Scenario) => void])[] = [
    [
      /could not be watched to the end: list routernodes: .* says 403: routernodes is forbidden/,
      ({ server }) => server.forbiddenKinds.add("routernodes"),
    ],
    [
      /could not be watched to the end: PublicNetwork customers was deleted by somebody else/,
      ({ server }) => server.remove("publicnetworks", "customers"),
    ],
  ];
  for (const [reason, fail] of failures) {
    const scenario = await Scenario.start(context);
    const inputs = await scenario.checked();
    // After the answer to the apply is made.
    scenario.server.agents = () => queueMicrotask(() => fail(scenario));
    await assert.rejects(scenario.networkState.create(inputs), (error: unknown) => {
      assert.ok(error instanceof PartialFailure, String(error));
      assert.equal(error.id, "customers");
      assert.match(error.reasons[0] ?? "", reason);
      assert.match(String(error.properties.uid), /^[0-9a-f-]{36}$/);
      return true;
    });
  }
});

test("F6: a node that is not Ready in Kubernetes is named, but does not hold the others", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: false });
  scenario.reports.n4 = "absent";
  const outs = await created(scenario);
  assert.deepEqual(outs.nodes.n4, { interface: "unknown", sessions: {} });
  assert.equal(outs.ready, false);
  assert.match(
    scenario.environment.lines.join("\n"),
    /n4 is not Ready in Kubernetes; it gets the network when it returns/,
  );
});

test("a node that is away is named while others are waited for, with what follows", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: false });
  scenario.reports.n1 = "absent";
  scenario.reports.n4 = "absent";
  scenario.healsAfter = 3_000;
  await created(scenario);
  assert.deepEqual(scenario.environment.lines, [
    "network customers: 2 of 4 nodes carry it; n1: agent is missing; n4 is not Ready in Kubernetes; it gets the network when it returns",
    "network customers: n4 is not Ready in Kubernetes; it gets the network when it returns",
    "network customers: 3 of 4 nodes carry it",
  ]);
});

test("a node that is away holds the network when none may be, until the deadline", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: false });
  const inputs = await scenario.checked({ tolerateUnreachable: false });
  await assert.rejects(scenario.networkState.create(inputs), (error: unknown) => {
    assert.ok(error instanceof PartialFailure);
    assert.deepEqual(error.reasons.slice(1), [
      "n4 is not Ready in Kubernetes; it is waited for, because nodes.tolerateUnreachable is false",
    ]);
    return true;
  });
  assert.equal(scenario.environment.now(), start + 120_000);
});

test("up to the given number of nodes may be away", async (context) => {
  const scenario = await Scenario.start(context);
  for (const name of ["n4", "n5"]) scenario.server.nodes.push({ name, ready: false });
  const enough = await scenario.networkState.create(await scenario.checked({ tolerateUnreachable: 2 }));
  assert.deepEqual([enough.outs.nodeCount, enough.outs.ready], [5, false]);
  await assert.rejects(
    scenario.networkState.create(await scenario.checked({ tolerateUnreachable: 1 })),
    /n5 is not Ready in Kubernetes; it is waited for, because nodes\.tolerateUnreachable is 1/,
  );
});

test("doing it again changes nothing", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const again = await scenario.networkState.update("customers", outs, await scenario.checked());
  assert.deepEqual(again.outs, outs);
});

test("an API server that asks to come back in a moment is asked again", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  scenario.server.busyFor = 2;
  assert.equal((await scenario.networkState.create(inputs)).outs.ready, true);
});

test("without a VlanRouter nothing is applied, and the error names the remedy", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.remove("vlanrouters", "default");
  await assert.rejects(created(scenario), /the cluster has no VlanRouter "default".*declare a VlanRouter component/);
  assert.equal(scenario.server.network("customers"), undefined);
});

const addressPool = { name: "customers", namespace: "metallb-system", addresses: [], interfaces: ["vxlan228"] };

test("a network with a pool waits 30 s for MetalLB, and is not applied without it", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  await assert.rejects(
    scenario.networkState.create({ ...inputs, addressPool }),
    /waiting for MetalLB: the cluster has no IPAddressPool and no L2Advertisement of metallb\.io\/v1beta1.*not there after 30 s/,
  );
  assert.equal(scenario.environment.now(), start + 30_000);
  assert.equal(scenario.server.network("customers"), undefined);
});

test("MetalLB's definitions that come a moment later are waited for", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  scenario.whileSleeping = (now) => {
    if (now >= start + 3_000) scenario.server.metallbKinds = ["IPAddressPool", "L2Advertisement"];
  };
  assert.equal((await scenario.networkState.create({ ...inputs, addressPool })).outs.ready, true);
  assert.equal(scenario.environment.now(), start + 3_000);
});

test("an object of another stack is refused by that stack's name and left as it is", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const inputs = { ...(await scenario.checked()), owner: "other/prod urn:x" };
  const applied = scenario.server.requests.filter(({ method }) => method === "PATCH").length;
  await assert.rejects(scenario.networkState.create(inputs), /PublicNetwork customers belongs to stack infra\/prod/);
  assert.equal(scenario.server.requests.filter(({ method }) => method === "PATCH").length, applied);
  assert.equal(scenario.server.network("customers")?.metadata.uid, outs.uid);
});

test("a field of another manager is a conflict that names it", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.conflictingManager = "kubectl-edit";
  await assert.rejects(
    created(scenario),
    /apply PublicNetwork customers: .*409: .*conflict with "kubectl-edit": \.spec\.routing/,
  );
});

test("refresh of a healthy network finds nothing", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const { id, inputs, props } = await scenario.networkState.read("customers", outs);
  assert.equal(id, "customers");
  assert.deepEqual(inputs, await scenario.checked());
  assert.deepEqual(props, outs);
});

test("refresh names node, network and session in the input that a program always leaves empty", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.reports.n1 = { sessions: { "10.0.7.19": "Established", "10.0.7.20": "Active" }, sessionAge: 31 };
  scenario.server.nodes.push({ name: "n4", ready: false });
  scenario.agents();
  const { inputs, props } = await scenario.networkState.read("customers", outs);
  assert.deepEqual(inputs?.drift, { n1: { "session 10.0.7.20": "Active" }, n4: { node: "NotReady" } });
  assert.equal(props?.ready, false);
  assert.equal(props?.nodes.n1?.sessions["10.0.7.20"], "Active");
});

test("adding a node that carries the network proposes nothing", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.server.nodes.push({ name: "n4", ready: true });
  scenario.agents();
  const { inputs, props } = await scenario.networkState.read("customers", outs);
  assert.deepEqual(inputs, await scenario.checked());
  assert.equal(props?.nodeCount, 4);
});

test("refresh shows an object that somebody edited, and one that is being deleted", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const object = scenario.server.network("customers");
  assert.ok(object);
  const edited = { ...normal, nodeSelector: { rack: "a" } };
  const metadata = { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  scenario.server.put("publicnetworks", { ...object, metadata, spec: edited });
  const { inputs } = await scenario.networkState.read("customers", outs);
  assert.deepEqual(inputs?.spec, edited);
  assert.deepEqual(inputs?.drift["(cluster)"], {
    "PublicNetwork customers": "being deleted",
    "spec.nodeSelector": '{"rack":"a"}, not unset',
  });
});

test("an object that is gone is gone; so is one that another stack has taken over", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  assert.deepEqual(await scenario.networkState.read("customers", { ...outs, owner: "other/prod urn:x" }), { id: "" });
  scenario.server.remove("publicnetworks", "customers");
  assert.deepEqual(await scenario.networkState.read("customers", outs), { id: "" });
});

test("another cluster behind the same address is an error, never gone", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.server.remove("publicnetworks", "customers");
  scenario.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  const refusal =
    /cluster with uid 00000000-0000-4000-8000-00000000000b, but the state was made in the cluster with uid 5f4dcc3b/;
  await assert.rejects(scenario.networkState.read("customers", outs), refusal);
  await assert.rejects(scenario.networkState.update("customers", outs, await scenario.checked()), refusal);
  await assert.rejects(scenario.networkState.delete("customers", outs), refusal);
});

test("what the plugin prints of an error is the message, without a stack", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.reports.n2 = {};
  for (const held of [outs, { ...outs, clusterUid: "another" }]) {
    await assert.rejects(scenario.networkState.delete("customers", held), (error: Error) => {
      assert.equal(`${error}: ${error.stack}`, `${error.message}: `);
      return true;
    });
  }
});

test("an unreachable cluster is an error, never gone", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  await scenario.server.stop();
  await assert.rejects(scenario.networkState.read("customers", outs), /does not answer/);
});

test("rotated credentials: refresh and destroy take those of the stack configuration", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const rotated = { ...outs, cluster: { kubeconfig: scenario.server.kubeconfig.replace("secret-token", "old-token") } };
  await assert.rejects(
    scenario.networkState.read("customers", rotated),
    /says 401: it does not take the credentials of the kubeconfig; renew the token or certificate, until "kubectl get namespaces" answers with it;.*"pulumi up" without --refresh takes those that the program names now; with --run-program the stack configuration vlan-router:kubeconfig counts as it is now/,
  );

  const configured = await Scenario.start(context, { "vlan-router:kubeconfig": scenario.server.kubeconfig });
  assert.equal((await configured.networkState.read("customers", rotated)).id, "customers");
  await configured.networkState.delete("customers", rotated);
  assert.equal(scenario.server.network("customers"), undefined);
});

test("credentials of another cluster in the surroundings do not stand in the way of those in the state", async (context) => {
  const elsewhere = await Scenario.start(context);
  elsewhere.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  const scenario = await Scenario.start(context, { "vlan-router:kubeconfig": elsewhere.server.kubeconfig });
  const outs = await created(scenario);
  assert.equal((await scenario.networkState.read("customers", outs)).id, "customers");
});

test("delete waits until the nodes have removed the network", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.reports.n2 = {};
  scenario.healsAfter = 4_000;
  scenario.environment.lines.length = 0;
  await scenario.networkState.delete("customers", outs);
  assert.deepEqual(scenario.environment.lines, [
    "network customers: waiting until it is removed from n1, n2, n3",
    "network customers: removed from all nodes",
  ]);
  assert.equal(scenario.server.network("customers"), undefined);
});

test("a delete names the node that is away and what follows", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const away = scenario.server.nodes.find(({ name }) => name === "n2");
  assert.ok(away);
  away.ready = false;
  scenario.reports.n1 = {};
  scenario.healsAfter = 4_000;
  scenario.environment.lines.length = 0;
  await scenario.networkState.delete("customers", outs);
  assert.equal(
    scenario.environment.lines[0],
    "network customers: waiting until it is removed from n1, n2 (not Ready in Kubernetes), n3",
  );
});

test("a node that is away when the others have removed the network removes it later, and is named", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const away = scenario.server.nodes.find(({ name }) => name === "n2");
  assert.ok(away);
  away.ready = false;
  // As the agents do: they release the object although the report of n2 still holds the network.
  scenario.server.agents = (server) => server.remove("publicnetworks", "customers");
  scenario.environment.lines.length = 0;
  await scenario.networkState.delete("customers", outs);
  assert.deepEqual(scenario.environment.lines, [
    "network customers: n2 is not Ready in Kubernetes; it removes the network when it returns",
    "network customers: removed from all other nodes",
  ]);
});

test("a delete that nobody carries out ends with an error at the deadline", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  scenario.reports.n2 = {};
  await assert.rejects(
    scenario.networkState.delete("customers", outs),
    /waiting until it is removed from n1, n2, n3: not done after 120 s\. Are the agents running/,
  );
});

test("what is gone already, or belongs to another stack now, needs no deletion", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  await scenario.networkState.delete("customers", { ...outs, owner: "other/prod urn:x" });
  assert.notEqual(scenario.server.network("customers"), undefined);
  scenario.server.remove("publicnetworks", "customers");
  await scenario.networkState.delete("customers", outs);
});

test("a network that is still being deleted is awaited before the new one of its name", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const object = scenario.server.network("customers");
  assert.ok(object);
  const metadata = { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" };
  scenario.server.put("publicnetworks", { ...object, metadata });
  const again = await created(scenario);
  assert.notEqual(again.uid, outs.uid);
  assert.match(scenario.environment.lines.join("\n"), /waiting until the nodes have removed the deleted one/);
});

test("a change of segment replaces the network, the old one first; other changes compare as inputs", async (context) => {
  const scenario = await Scenario.start(context);
  const outs = await created(scenario);
  const spec = normal.type === "vxlan" ? { ...normal, vxlan: { ...normal.vxlan, vni: 229 } } : normal;
  assert.deepEqual(await scenario.networkState.diff("customers", outs, { ...outs, spec }), {
    replaces: ["spec"],
    deleteBeforeReplace: true,
  });
  assert.deepEqual(await scenario.networkState.diff("customers", outs, { ...outs, gateway: "203.0.113.2" }), {});
});
