/**
 * Networks that take over from others, on the real engine and API server: another VNI, a subnet that moves between networks, an object
 * that somebody made by hand, and another logical name. The steps build on each other.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { waitFor } from "../../lab/processes/index.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import type { PublicNetworkObject, RouterNodeObject } from "../../model/index.js";
import { EngineCluster, engineImage, engineNodes } from "../engine/engine-cluster.js";
import { declareOn, programProject } from "../engine/program-project.js";
import { refused } from "../engine/refused.js";
import { succeeds } from "../engine/succeeds.js";

const group = "/apis/vlan-router.io/v1alpha1";
const router = { image: engineImage, podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] };
const vxlan = { nodeNet: "10.0.7.0/24", remotes: ["10.0.7.11", "10.0.7.12"] };
const customers = {
  name: "customers",
  type: "vxlan",
  vxlan: { vni: 228, ...vxlan },
  routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
};
const { name: _customers, ...nameless } = { ...customers, vxlan: { vni: 229, ...vxlan } };

let cluster: EngineCluster;
let directory: string;
let stack: Stack;

before(async () => {
  cluster = await EngineCluster.start();
  directory = await mkdtemp(join(tmpdir(), "vlan-router-moved-"));
  stack = await cluster.stack(await programProject(join(directory, "project")), "prod");
  for (const node of engineNodes) await cluster.hear(node, true);
  await declare({ customers });
  await succeeds(cluster.deploy(stack.up("--skip-preview")));
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

const declare = (networks: Readonly<Record<string, object>>): Promise<void> =>
  declareOn(stack, { router, networks }, cluster.api.adminKubeconfig());

const objectNames = async (path: string) =>
  (
    await cluster.api.do<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>({ path })
  ).items.map(({ metadata }) => metadata.name);

test("another VNI without a name is another network: the refusal names replaces, and with it one update moves the prefix", async () => {
  await declare({ vxlan229: nameless });
  const said = await refused(stack.preview());
  const remedy = "a prefix stands in one network; remove one, or to move it set routing.replaces: customers here";
  assert.ok(said.includes(remedy), said);
  const routing = { ...customers.routing, replaces: "customers" };
  await declare({ vxlan229: { ...nameless, routing } });
  await succeeds(stack.up());
  assert.deepEqual(await objectNames(`${group}/publicnetworks`), ["vxlan229"]);
  for (const node of engineNodes) {
    await waitFor(
      `${node} to carry the prefix by the new network alone`,
      async () => {
        const { status } = await cluster.api.do<RouterNodeObject>({ path: `${group}/routernodes/${node}` });
        const networks = status?.networks.map(({ name, tables, conditions }) => [
          name,
          tables,
          conditions.find(({ type }) => type === "Applied")?.status,
        ]);
        return isDeepStrictEqual(networks, [["vxlan229", [229], "True"]]);
      },
      { timeout: 30_000, interval: 200 },
    );
  }
  await declare({ vxlan229: nameless });
  await succeeds(stack.up());
});

test("a field that somebody added to the VlanRouter is drift, and an update after a refresh takes it back", async () => {
  const path = `${group}/vlanrouters/default`;
  await cluster.api.do({
    method: "PATCH",
    path: `${path}?fieldManager=kubectl-edit`,
    contentType: "application/merge-patch+json",
    body: { spec: { cni: "calico" } },
  });
  assert.match(
    await refused(stack.preview("--refresh", "--expect-no-changes", "--diff")),
    /"?VlanRouter default spec\.cni"?\s*: "calico \(written by kubectl-edit\), not unset"/,
  );
  await succeeds(stack.up("--refresh"));
  const { spec } = await cluster.api.do<{ readonly spec: object }>({ path });
  assert.deepEqual(spec, { podNetworks: router.podNetworks });
  await succeeds(stack.preview("--refresh", "--expect-no-changes"));
});

test("a subnet moves in one update from a network to another one that depends on it", async () => {
  const own = { cidr: "192.0.2.0/27", gateway: "192.0.2.1" };
  const gold = { name: "gold", type: "vxlan", vxlan: { vni: 230, ...vxlan }, routing: own };
  const moving = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
  const withSubnet = (network: { readonly routing: object }, table: number) => ({
    ...network,
    routing: [network.routing, { ...moving, table }],
  });
  const cidrs = async (name: string) =>
    (await cluster.api.do<PublicNetworkObject>({ path: `${group}/publicnetworks/${name}` })).spec.routing.map(
      ({ cidr }) => cidr,
    );
  // The engine's configuration sorts them by logical name.
  const declareBoth = (vxlan229: object, z: object) => declare({ vxlan229, z: { ...z, after: ["vxlan229"] } });
  await declareBoth(withSubnet(nameless, 1229), gold);
  await succeeds(stack.up());
  await declareBoth(nameless, withSubnet(gold, 1230));
  await succeeds(stack.up());
  assert.deepEqual([await cidrs("vxlan229"), await cidrs("gold")], [["203.0.113.0/24"], [own.cidr, moving.cidr]]);
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));

  await declareBoth(withSubnet(nameless, 1229), gold);
  assert.match(
    await refused(stack.preview()),
    /give this one dependsOn: \[that network\]; where it removes it, do that in an update of its own/,
  );
  await declare({ vxlan229: nameless });
  await succeeds(stack.up());
});

test("a network that somebody made with kubectl is taken over by adopt as it is, and is then the program's alone", async () => {
  const path = `${group}/publicnetworks/silver`;
  const { name, ...spec } = {
    name: "silver",
    type: "vlan",
    vlan: { parent: "eth0", id: 250 },
    routing: [{ cidr: "192.0.2.64/29", gateway: "192.0.2.65" }],
    nodeSelector: { rack: "a" },
  };
  const body = { apiVersion: "vlan-router.io/v1alpha1", kind: "PublicNetwork", metadata: { name }, spec };
  const manager = "fieldManager=kubectl-create";
  const made = await cluster.api.do<PublicNetworkObject>({
    method: "POST",
    path: `${group}/publicnetworks?${manager}`,
    body,
  });
  const declareSilver = (changes: object) => declare({ vxlan229: nameless, silver: { name, ...spec, ...changes } });

  await declareSilver({});
  const unowned = await refused(stack.preview());
  assert.match(
    unowned,
    /name: PublicNetwork silver exists and no Pulumi stack owns it .* set adopt: true to take it over/,
  );

  const moved = { routing: [{ cidr: "192.0.2.64/29", gateway: "192.0.2.66" }] };
  await declareSilver({ adopt: true, ...moved });
  const differs = await refused(stack.preview());
  assert.ok(
    differs.includes("spec.routing[0].gateway is 192.0.2.65 (written by kubectl-create), not 192.0.2.66; adopt takes"),
    differs,
  );

  await declareSilver({ adopt: true });
  await succeeds(stack.up());
  const adopted = await cluster.api.do<PublicNetworkObject>({ path });
  assert.deepEqual([adopted.metadata.uid, adopted.spec], [made.metadata.uid, made.spec]);
  assert.match(adopted.metadata.annotations?.["vlan-router.io/owner"] ?? "", /^shared-cluster\/prod urn:/);
  const managers = (adopted.metadata.managedFields ?? []).filter(({ fieldsV1 }) => fieldsV1?.["f:spec"] !== undefined);
  assert.deepEqual(
    managers.map((entry) => entry.manager),
    ["pulumi-vlan-router"],
  );
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));

  await declareSilver({ adopt: true, ...moved });
  await succeeds(stack.up());
  const changed = await cluster.api.do<PublicNetworkObject>({ path });
  assert.deepEqual([changed.metadata.uid, changed.spec.routing[0]?.gateway], [made.metadata.uid, "192.0.2.66"]);
});

test("with adopt a network goes on under another logical name, and the resource of the old one takes nothing with it", async () => {
  const path = `${group}/publicnetworks/vxlan229`;
  const before = await cluster.api.do<PublicNetworkObject>({ path });
  await declare({ berlin: nameless });
  assert.match(await refused(stack.preview()), /already belongs to \S+::vxlan229 of this stack; .*set adopt: true/);
  await declare({ berlin: { ...nameless, adopt: true } });
  await succeeds(stack.up());
  const { metadata, spec } = await cluster.api.do<PublicNetworkObject>({ path });
  assert.deepEqual([metadata.uid, metadata.deletionTimestamp, spec], [before.metadata.uid, undefined, before.spec]);
  assert.match(metadata.annotations?.["vlan-router.io/owner"] ?? "", /::berlin$/);
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));
  await succeeds(stack.destroy());
  assert.deepEqual(await objectNames(`${group}/publicnetworks`), []);
});
