/** What others did to an object that the state holds, and what the next update does about it. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { FieldSet, NetworkSpec, PublicNetworkObject } from "../../../model/index.js";
import type { NetworkStateOutputs } from "../../../provider/network-state/state.js";
import { normal } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

const ownerKey = "vlan-router.io/owner";
const withMtu = (mtu: number): NetworkSpec =>
  normal.type === "vxlan" ? { ...normal, vxlan: { ...normal.vxlan, mtu } } : normal;
const wrote = (manager: string, spec: FieldSet) => ({ manager, operation: "Update", fieldsV1: { "f:spec": spec } });
const byEditor = wrote("kubectl-edit", { "f:vxlan": { "f:mtu": {} } });

interface Deployed {
  readonly scenario: Scenario;
  readonly outs: NetworkStateOutputs;
  readonly object: () => PublicNetworkObject;
}

async function deployed(context: TestContext): Promise<Deployed> {
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked());
  const object = () => {
    const found = scenario.server.network("customers");
    assert.ok(found);
    return found;
  };
  return { scenario, outs, object };
}

/** Somebody writes the specification. */
function edit({ scenario, object }: Deployed, spec: NetworkSpec): void {
  const metadata = { ...object().metadata, resourceVersion: "41", managedFields: [byEditor] };
  scenario.server.put("publicnetworks", { ...object(), metadata, spec });
}

async function refreshed({ scenario }: Deployed, held: NetworkStateOutputs): Promise<NetworkStateOutputs> {
  const { props } = await scenario.networkState.read("customers", held);
  assert.ok(props);
  return props;
}

test("a field that somebody added is removed once a refresh has shown it, in one version of the specification", async (context) => {
  const given = await deployed(context);
  edit(given, withMtu(1400));
  const shown = await refreshed(given, given.outs);
  assert.deepEqual(shown.drift["(cluster)"], { "spec.vxlan.mtu": "1400 (written by kubectl-edit), not unset" });
  const specs: unknown[] = [];
  const { agents } = given.scenario.server;
  given.scenario.server.agents = (server) => {
    specs.push(given.object().spec);
    agents(server);
  };
  const { outs } = await given.scenario.networkState.update("customers", shown, await given.scenario.checked());
  assert.deepEqual([given.object().spec, outs.spec, outs.ready], [normal, normal, true]);
  assert.deepEqual(specs, [normal]);
});

test("a field that no refresh has shown stays, and the error names it, its writer and the remedy", async (context) => {
  const given = await deployed(context);
  edit(given, withMtu(1400));
  const refusal =
    /differs from the program in spec\.vxlan\.mtu \(other writers of the object: kubectl-edit\), and what no refresh has shown is not removed/;
  const update = async (held: NetworkStateOutputs) =>
    given.scenario.networkState.update("customers", held, await given.scenario.checked());
  await assert.rejects(update(given.outs), refusal);
  // Shown with another value than it has now.
  const shown = await refreshed(given, given.outs);
  edit(given, withMtu(1300));
  await assert.rejects(update(shown), refusal);
  assert.deepEqual(given.object().spec, withMtu(1300));
});

test("a field that the program takes over from its writer is not removed on the way", async (context) => {
  const given = await deployed(context);
  edit(given, withMtu(1400));
  const shown = await refreshed(given, given.outs);
  const inputs = { ...(await given.scenario.checked()), spec: withMtu(1400) };
  const { outs } = await given.scenario.networkState.update("customers", shown, inputs);
  assert.deepEqual([given.object().spec, outs.ready], [withMtu(1400), true]);
});

test("an object whose owner annotation somebody removed is still ours: drift that an update settles, and a destroy deletes it", async (context) => {
  const given = await deployed(context);
  const { scenario, outs, object } = given;
  const { annotations: _, ...metadata } = object().metadata;
  scenario.server.put("publicnetworks", { ...object(), metadata });
  const { failures } = await scenario.networkState.check(outs, scenario.arguments());
  assert.deepEqual(failures, []);
  const shown = await refreshed(given, outs);
  assert.deepEqual(shown.drift, { "(cluster)": { [`annotation ${ownerKey}`]: "missing" } });
  await scenario.networkState.update("customers", shown, await scenario.checked());
  assert.equal(object().metadata.annotations?.[ownerKey], owner);

  scenario.server.put("publicnetworks", { ...object(), metadata });
  await scenario.networkState.delete("customers", outs);
  assert.equal(scenario.server.network("customers"), undefined);
});

test("an object of the name that somebody made after ours was deleted is not ours", async (context) => {
  const { scenario, outs, object } = await deployed(context);
  const theirs = { name: "customers", uid: "5a1f0c3e-0000-4000-8000-000000000009" };
  scenario.server.put("publicnetworks", { ...object(), metadata: theirs });
  assert.deepEqual(await scenario.networkState.read("customers", outs), { id: "" });
  await assert.rejects(
    scenario.networkState.update("customers", outs, outs),
    /PublicNetwork customers exists and no Pulumi stack owns it/,
  );
  scenario.environment.lines.length = 0;
  await scenario.networkState.delete("customers", outs);
  assert.match(
    scenario.environment.lines.join(),
    /^network customers is left alone: PublicNetwork customers exists and no/,
  );
  assert.equal(object().metadata.uid, theirs.uid);
});
