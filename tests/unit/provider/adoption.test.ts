import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { apiVersion, type FieldSet, type NetworkSpec } from "../../../model/index.js";
import { adoptedFields } from "../../../provider/network-state/adoption.js";
import type { NetworkStateInputs } from "../../../provider/network-state/state.js";
import { normal } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

const uid = "5a1f0c3e-0000-4000-8000-000000000007";
const byKubectl = {
  manager: "kubectl-client-side-apply",
  operation: "Update",
  fieldsV1: {
    "f:metadata": { "f:annotations": { "f:kubectl.kubernetes.io/last-applied-configuration": {} } },
    "f:spec": { "f:type": {}, "f:vxlan": { "f:vni": {} } },
  },
};
const byEditor = {
  manager: "kubectl-edit",
  operation: "Update",
  fieldsV1: { "f:spec": { "f:vxlan": { "f:nodeNet": {} }, "f:routing": {} } },
};
const byAgent = { manager: "agent", operation: "Update", fieldsV1: { "f:metadata": { "f:finalizers": {} } } };

/** A cluster where somebody made the network with kubectl. */
async function withObject(context: TestContext, spec: NetworkSpec = normal, owned?: string): Promise<Scenario> {
  const scenario = await Scenario.start(context);
  const annotations = owned === undefined ? {} : { "vlan-router.io/owner": owned };
  const managedFields = [byKubectl, byEditor, byAgent];
  const metadata = { name: "customers", uid, resourceVersion: "41", annotations, managedFields };
  scenario.server.put("publicnetworks", { apiVersion, kind: "PublicNetwork", metadata, spec });
  scenario.agents();
  return scenario;
}

const patches = ({ server }: Scenario) => server.requests.filter(({ method }) => method === "PATCH");

test("the whole specification becomes ours, what others wrote beside it stays theirs", () => {
  const ours = (fieldsV1: FieldSet) => ({
    manager: "pulumi-vlan-router",
    operation: "Apply",
    apiVersion: "vlan-router.io/v1alpha1",
    fieldsType: "FieldsV1",
    fieldsV1,
  });
  const spec = { "f:type": {}, "f:vxlan": { "f:vni": {}, "f:nodeNet": {} }, "f:routing": {} };
  const { "f:spec": _, ...beside } = byKubectl.fieldsV1;
  const adopted = [{ ...byKubectl, fieldsV1: beside }, byAgent, ours({ "f:spec": spec })];
  assert.deepEqual(adoptedFields([byKubectl, byEditor, byAgent]), adopted);
  assert.deepEqual(adoptedFields(adopted), adopted);
});

test("an object that no stack owns is taken over with adopt: as it is, with its uid, for the version that was read", async (context) => {
  const scenario = await withObject(context);
  const { outs } = await scenario.networkState.create(await scenario.checked({ adopt: true }));
  assert.equal(outs.uid, uid);
  assert.equal(outs.ready, true);
  const object = scenario.server.network("customers");
  assert.deepEqual(object?.spec, normal);
  assert.equal(object?.metadata.annotations?.["vlan-router.io/owner"], owner);
  assert.deepEqual(
    object?.metadata.managedFields
      ?.filter(({ fieldsV1 }) => fieldsV1?.["f:spec"] !== undefined)
      .map((one) => one.manager),
    ["pulumi-vlan-router"],
  );
  const [fields, apply] = patches(scenario);
  assert.partialDeepStrictEqual(fields?.body, [
    { op: "replace", path: "/metadata/managedFields" },
    { op: "replace", path: "/metadata/resourceVersion", value: "41" },
  ]);
  assert.equal(apply?.query.get("force"), "false");
  // The state holds it from now on, whatever adopt says.
  for (const adopt of [true, false]) {
    assert.deepEqual((await scenario.networkState.check(outs, scenario.arguments({ adopt }))).failures, []);
  }
});

test("an object that is not what the program says is refused at preview and at deployment with field, writer and both values, and left as it is", async (context) => {
  const routing = normal.routing.map((subnet) => ({ ...subnet, gateway: "203.0.113.9" }));
  const scenario = await withObject(context, { ...normal, routing });
  const reason =
    "PublicNetwork customers is not what the program says: spec.routing[0].gateway is 203.0.113.9 (written by kubectl-edit), not " +
    "203.0.113.1; adopt takes an object over as it is: write its values in the program, and change them in an update after that";
  const { inputs, failures } = await scenario.networkState.check({}, scenario.arguments({ adopt: true }));
  assert.deepEqual(failures, [{ property: "", reason: `adopt: ${reason}` }]);
  await assert.rejects(scenario.networkState.create(inputs as never), { message: reason });
  assert.deepEqual(patches(scenario), []);
});

test("an object that another stack owns is not taken over; the refusal says how that stack gives it up", async (context) => {
  const scenario = await withObject(context, normal, "other/prod urn:theirs");
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ adopt: true }));
  assert.deepEqual(failures, [
    {
      property: "",
      reason:
        "name: PublicNetwork customers belongs to stack other/prod (urn:theirs); choose another name, or remove the network from that " +
        'stack first; where that stack holds it no longer (pulumi state delete), remove the annotation ("kubectl annotate publicnetwork ' +
        'customers vlan-router.io/owner-") and set adopt: true',
    },
  ]);
});

test("adopt makes a network that is not there like any other", async (context) => {
  const scenario = await Scenario.start(context);
  assert.equal((await scenario.networkState.create(await scenario.checked({ adopt: true }))).outs.ready, true);
});

const berlin = owner.replace("::customers", "::berlin");

test("what another resource of the stack has left behind is refused with adopt as the way out, and taken over with it", async (context) => {
  const scenario = await withObject(context, normal, owner);
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ owner: berlin }));
  assert.match(
    failures[0]?.reason ?? "",
    /^name: PublicNetwork customers already belongs to urn:\S+::customers of this stack; .*; if the state has no such resource any more \(retainOnDelete, pulumi state delete\), set adopt: true$/,
  );
  const inputs = await scenario.checked({ owner: berlin, adopt: true });
  const { outs } = await scenario.networkState.create(inputs);
  const { metadata } = scenario.server.network("customers") ?? {};
  assert.deepEqual([outs.uid, outs.ready, metadata?.annotations?.["vlan-router.io/owner"]], [uid, true, berlin]);
});

test("where the program declares the other resource too, adopt takes nothing from it", async (context) => {
  const scenario = await withObject(context, normal, owner);
  await scenario.checked();
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ owner: berlin, adopt: true }));
  assert.match(
    failures[0]?.reason ?? "",
    /^vxlan\.vni: 228 is already customers\.vxlan\.vni;.* \(the program declares both\)$/,
  );
});

test("a resource that goes in the same update deletes nothing of the one that has adopted its object, but a destroy does", async (context) => {
  const scenario = await Scenario.start(context);
  const { outs: former } = await scenario.networkState.create(await scenario.checked());
  const program = await Scenario.start(context);
  const { inputs, failures } = await program.networkState.check({}, scenario.arguments({ owner: berlin, adopt: true }));
  assert.deepEqual(failures, []);
  const { outs } = await program.networkState.create(inputs as NetworkStateInputs);
  await program.networkState.delete("customers", former);
  assert.equal(scenario.server.network("customers")?.metadata.uid, outs.uid);
  assert.match(
    program.environment.lines.at(-1) ?? "",
    /^network customers is left alone: urn:\S+::berlin has taken it over$/,
  );
  // Without the program nobody declares it.
  const destroy = await Scenario.start(context);
  await destroy.networkState.delete("customers", outs);
  assert.equal(scenario.server.network("customers"), undefined);
});
