/**
 * What aliases do to deployed components on the real engine and API server: a router with its networks and their pools moves
 * under a parent, and is renamed there, and every object stays the one that it was. The steps build on each other.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Stack } from "../../lab/pulumi/stack.js";
import { EngineCluster, engineImage, engineNodes } from "../engine/engine-cluster.js";
import { definePools } from "../engine/metallb-definitions.js";
import { programFolder } from "../engine/program-folder.js";
import { stateOf, typesOf } from "../engine/stack-state.js";
import { succeeds } from "../engine/succeeds.js";

const project = "moved";
const program = `const pulumi = require("@pulumi/pulumi");
const { PublicNetwork, VlanRouter } = require("pulumi-vlan-router");

const config = new pulumi.Config();
const cluster = (name) => new pulumi.ComponentResource("example:index:Cluster", name);
const atRoot = { parent: pulumi.rootStackResource };
/** Name of the router, options of the router, options of the network that is declared by itself. */
const [name, options, own] = {
  "at the root": () => ["router", {}, {}],
  "moved under a parent": () => {
    const parent = cluster("east");
    return ["router", { parent, aliases: [atRoot] }, { parent, aliases: [atRoot] }];
  },
  "without aliases again": () => {
    const parent = cluster("east");
    return ["router", { parent }, { parent }];
  },
  "renamed": () => {
    const parent = cluster("east");
    return ["edge", { parent, aliases: [{ name: "router" }] }, { parent }];
  },
  "moved to another parent": () => {
    const parent = new pulumi.ComponentResource("example:index:Site", "north");
    const before = { parent: cluster("east") };
    return ["edge", { parent, aliases: [before] }, { parent, aliases: [before] }];
  },
}[config.require("place")]();
const { router } = VlanRouter.fromConfig(
  name,
  {
    cluster: { kubeconfig: config.requireSecret("kubeconfig") },
    image: config.require("image"),
    value: config.requireObject("configuration"),
    addressPools: true,
  },
  options,
);
new PublicNetwork("tenants", { router, ...config.requireObject("tenants") }, own);
`;

const vxlan = (vni: number) => ({ vni, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.11", "10.0.7.12"] });
const configuration = {
  podNetworks: ["10.244.0.0/16"],
  networks: [
    { type: "vxlan", vxlan: vxlan(228), routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1" } },
    {
      name: "customers",
      type: "vxlan",
      vxlan: vxlan(240),
      routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
    },
  ],
};
const tenants = {
  name: "tenants",
  type: "vxlan",
  vxlan: vxlan(250),
  routing: { cidr: "192.0.2.0/28", gateway: "192.0.2.1" },
};
const group = "/apis/vlan-router.io/v1alpha1";
const metallb = "/apis/metallb.io/v1beta1/namespaces/metallb-system";
const objects = [
  `${group}/vlanrouters/default`,
  ...["vxlan228", "customers", "tenants"].map((name) => `${group}/publicnetworks/${name}`),
  ...["vxlan228", "customers"].flatMap((name) => [
    `${metallb}/ipaddresspools/${name}`,
    `${metallb}/l2advertisements/${name}`,
  ]),
  "/api/v1/namespaces/vlan-router",
  "/api/v1/namespaces/vlan-router/serviceaccounts/agent",
  "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles/vlan-router-agent",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/publicnetworks.vlan-router.io",
];

let cluster: EngineCluster;
let directory: string;
let stack: Stack;
let first: Readonly<Record<string, string>>;
let types: Readonly<Record<string, number>>;

before(async () => {
  cluster = await EngineCluster.start();
  directory = await mkdtemp(join(tmpdir(), "vlan-router-moved-"));
  stack = await cluster.stack(await programFolder(join(directory, "project"), project, program), "prod");
  for (const node of engineNodes) await cluster.hear(node, true);
  await definePools(cluster.api);
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

async function place(where: string): Promise<void> {
  await stack.configure(
    {
      [`${project}:place`]: where,
      [`${project}:image`]: engineImage,
      [`${project}:configuration`]: configuration,
      [`${project}:tenants`]: tenants,
    },
    { [`${project}:kubeconfig`]: cluster.api.adminKubeconfig() },
  );
}

/** An object that was made again has another uid. */
async function uids(): Promise<Readonly<Record<string, string>>> {
  const found = objects.map(async (path): Promise<[string, string]> => {
    const { metadata } = await cluster.api.do<{ readonly metadata: { readonly uid: string } }>({ path });
    return [path, metadata.uid];
  });
  return Object.fromEntries(await Promise.all(found));
}

const owners = () =>
  Promise.all(
    [`${group}/vlanrouters/default`, `${group}/publicnetworks/customers`, `${metallb}/ipaddresspools/customers`].map(
      async (path) => {
        const { metadata } = await cluster.api.do<{
          readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
        }>({ path });
        return metadata.annotations["vlan-router.io/owner"];
      },
    ),
  );

/** @param made resources that are new, @param gone those that are not declared any more: parents alone */
async function stays(changes: { readonly made: number; readonly gone: number }): Promise<void> {
  for (const [command, words] of [
    [() => stack.preview(), ["to create", "to delete", "to replace"]],
    [() => stack.up("--skip-preview"), ["created", "deleted", "replaced"]],
  ] as const) {
    const said = await succeeds(command());
    const counts = words.map((word) => Number(new RegExp(`(\\d+) ${word}`).exec(said)?.[1] ?? 0));
    assert.deepEqual(counts, [changes.made, changes.gone, 0], said);
  }
  assert.deepEqual(await uids(), first);
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));
}

test("at the root", async () => {
  await place("at the root");
  await succeeds(cluster.deploy(stack.up("--skip-preview")));
  first = await uids();
  types = typesOf(await stateOf(stack));
});

test("under a parent, by the alias of the stack's root", async () => {
  await place("moved under a parent");
  await stays({ made: 1, gone: 0 });
  assert.deepEqual(typesOf(await stateOf(stack)), { ...types, "example:index:Cluster": 1 });
  const urn = "moved/prod urn:pulumi:prod::moved::example:index:Cluster$vlan-router:index";
  assert.deepEqual(await owners(), [
    `${urn}:VlanRouter::router`,
    `${urn}:PublicNetwork::router-customers`,
    `${urn}:PublicNetwork::router-customers`,
  ]);
});

test("the aliases may go then", async () => {
  await place("without aliases again");
  await stays({ made: 0, gone: 0 });
});

test("another name for the router takes its networks along, by its alias", async () => {
  await place("renamed");
  await stays({ made: 0, gone: 0 });
  const urn = "moved/prod urn:pulumi:prod::moved::example:index:Cluster$vlan-router:index";
  assert.deepEqual(await owners(), [
    `${urn}:VlanRouter::edge`,
    `${urn}:PublicNetwork::edge-customers`,
    `${urn}:PublicNetwork::edge-customers`,
  ]);
});

test("another parent takes the networks along too", async () => {
  await place("moved to another parent");
  await stays({ made: 1, gone: 0 });
});

test("all of it goes by its last names", async () => {
  await succeeds(stack.destroy("--skip-preview"));
  assert.deepEqual(await stateOf(stack), []);
});
