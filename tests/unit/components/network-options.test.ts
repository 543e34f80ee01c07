import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { VlanRouter } from "../../../components/index.js";
import { networkOptions } from "../../../components/network-options.js";
import { seed } from "../../support/seed.js";
import { knownValue, unreachableKubeconfig as kubeconfig, resourcesOf, startPreview } from "./program.js";

const args = { yaml: seed, image: "agent:1", cluster: { kubeconfig } };

const newCluster = (name: string) => new pulumi.ComponentResource("example:index:Cluster", name);

async function urnsOf({ networks }: ReturnType<typeof VlanRouter.fromConfig>): Promise<readonly unknown[]> {
  return Promise.all(Object.values(networks).map(({ urn }) => knownValue(urn)));
}

beforeEach(() => startPreview());
afterEach(() => pulumi.runtime.disconnect());

test("two clusters in components of one type have networks of the same names, each with its own URN", async () => {
  const east = VlanRouter.fromConfig("east", args, { parent: newCluster("east") });
  const another = { ...args, cluster: { kubeconfig: kubeconfig.replaceAll('"prod"', '"west"') } };
  const west = VlanRouter.fromConfig("west", another, { parent: newCluster("west") });
  assert.deepEqual(Object.keys(west.networks), ["vxlan228", "vlan220"]);
  const type = "urn:pulumi:prod::infra::example:index:Cluster$vlan-router:index:PublicNetwork";
  assert.deepEqual(
    [...(await urnsOf(east)), ...(await urnsOf(west))],
    [`${type}::east-vxlan228`, `${type}::east-vlan220`, `${type}::west-vxlan228`, `${type}::west-vlan220`],
  );
});

test("without a parent the networks keep the names that stacks have", async () => {
  const type = "urn:pulumi:prod::infra::vlan-router:index:PublicNetwork";
  assert.deepEqual(await urnsOf(VlanRouter.fromConfig("router", args)), [`${type}::vxlan228`, `${type}::vlan220`]);
});

test("a network that is moved under a parent is the one that stood at the root", () => {
  const parent = newCluster("east");
  assert.deepEqual(networkOptions("vxlan228", { parent }), {
    parent,
    aliases: [{ name: "vxlan228", parent: pulumi.rootStackResource }],
  });
});

test("options that hold for every resource reach the networks, those that name one do not", () => {
  const dependsOn = [newCluster("first")];
  assert.deepEqual(
    networkOptions("vxlan228", {
      protect: true,
      dependsOn,
      aliases: [{ name: "old-router" }],
      urn: "urn:pulumi:prod::infra::vlan-router:index:VlanRouter::old",
      id: "old",
    }),
    { protect: true, dependsOn },
  );
});

test("a provider that is given makes the networks' pools too", async () => {
  const given = new kubernetes.Provider("given", { kubeconfig });
  const { networks } = VlanRouter.fromConfig("router", { ...args, addressPools: true }, { provider: given });
  for (const network of Object.values(networks)) {
    assert.equal(network.getProvider("kubernetes:core/v1:Namespace"), given);
  }
  const providers = await resourcesOf("pulumi:providers:kubernetes");
  assert.deepEqual(
    providers.map(({ name }) => name),
    ["given"],
  );
});
