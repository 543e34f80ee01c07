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
  assert.deepEqual(networkOptions("router", "vxlan228", { parent }), {
    parent,
    aliases: [{ name: "vxlan228", parent: pulumi.rootStackResource }],
  });
});

test("where the router was by its aliases, its networks were too", async () => {
  const parent = newCluster("east");
  const west = newCluster("west");
  const component = "urn:pulumi:prod::infra::example:index:Cluster";
  const atRoot = "urn:pulumi:prod::infra::vlan-router:index";
  const { rootStackResource } = pulumi;
  const moves: readonly (readonly [pulumi.ComponentResourceOptions, pulumi.Alias | string])[] = [
    [
      { aliases: [{ parent: rootStackResource }], parent },
      { name: "vxlan228", parent: rootStackResource },
    ],
    [
      { aliases: [{ name: "router" }], parent },
      { name: "router-vxlan228", parent },
    ],
    [
      { aliases: [{ name: "router", parent: west }], parent },
      { name: "router-vxlan228", parent: west },
    ],
    [{ aliases: [{ parent: west }] }, { name: "edge-vxlan228", parent: west }],
    [{ aliases: [{ name: "router" }] }, { name: "vxlan228", parent: rootStackResource }],
    [
      { aliases: [{ project: "old", stack: pulumi.output("dev") }] },
      { name: "vxlan228", parent: rootStackResource, project: "old", stack: "dev" },
    ],
    [
      { aliases: [`${component}$vlan-router:index:VlanRouter::router`] },
      `${component}$vlan-router:index:PublicNetwork::router-vxlan228`,
    ],
    [{ aliases: [pulumi.output(`${atRoot}:VlanRouter::router`)], parent }, `${atRoot}:PublicNetwork::vxlan228`],
  ];
  for (const [options, expected] of moves) {
    const { aliases = [] } = networkOptions("edge", "vxlan228", options);
    const resolved = await Promise.all(aliases.map((alias) => knownValue(pulumi.output(alias))));
    const standing = "parent" in options ? [{ name: "vxlan228", parent: rootStackResource }] : [];
    assert.deepEqual(resolved, [expected, ...standing]);
  }
});

test("options that hold for every resource reach the networks, those that name one do not", () => {
  const dependsOn = [newCluster("first")];
  assert.deepEqual(
    networkOptions("router", "vxlan228", {
      protect: true,
      dependsOn,
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
