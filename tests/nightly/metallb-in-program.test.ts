/**
 * MetalLB comes with the same update as the network that needs it, and all of it goes while a node is away: on the real engine and
 * API server. The steps build on each other.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Stack } from "../../lab/pulumi/stack.js";
import { EngineCluster, engineImage, engineNodes } from "../engine/engine-cluster.js";
import { poolDefinitions } from "../engine/metallb-definitions.js";
import { programFolder } from "../engine/program-folder.js";
import { stateOf } from "../engine/stack-state.js";
import { succeeds } from "../engine/succeeds.js";

const project = "with-metallb";
/** MetalLB's definitions as its own manifests have them; its programs do not matter here. */
const program = `const k8s = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");
const { PublicNetwork, VlanRouter } = require("pulumi-vlan-router");

const config = new pulumi.Config();
const kubeconfig = config.requireSecret("kubeconfig");
const provider = new k8s.Provider("cluster", { kubeconfig });
const namespace = new k8s.core.v1.Namespace("metallb", { metadata: { name: "metallb-system" } }, { provider });
const metallb = new k8s.yaml.v2.ConfigGroup("metallb", { files: config.requireObject("definitions") }, { provider });
const router = new VlanRouter("router", {
  cluster: { kubeconfig },
  image: config.require("image"),
  podNetworks: ["10.244.0.0/16"],
});
new PublicNetwork(
  "customers",
  {
    router,
    name: "customers",
    type: "vxlan",
    vxlan: { vni: 240, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.11", "10.0.7.12"] },
    routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
    addressPool: true,
  },
  { dependsOn: [namespace, metallb] },
);
`;
const metallbObjects = "/apis/metallb.io/v1beta1/namespaces/metallb-system";
const network = "/apis/vlan-router.io/v1alpha1/publicnetworks/customers";
const agentNamespace = "/api/v1/namespaces/vlan-router";
const report = (node: string) => `/apis/vlan-router.io/v1alpha1/routernodes/${node}`;

let cluster: EngineCluster;
let directory: string;
let stack: Stack;

before(async () => {
  cluster = await EngineCluster.start();
  directory = await mkdtemp(join(tmpdir(), "vlan-router-metallb-"));
  stack = await cluster.stack(await programFolder(join(directory, "project"), project, program), "prod");
  for (const node of engineNodes) await cluster.hear(node, true);
  await stack.configure(
    {
      [`${project}:image`]: engineImage,
      [`${project}:definitions`]: poolDefinitions(),
    },
    { [`${project}:kubeconfig`]: cluster.api.adminKubeconfig() },
  );
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

const statusOf = async (path: string) => (await cluster.api.request({ path })).status;

test("preview warns that MetalLB's definitions are not there yet, and goes on", async () => {
  const said = await succeeds(stack.preview());
  assert.match(said, /warning: .*the cluster has no IPAddressPool and no L2Advertisement of metallb\.io\/v1beta1/);
});

test("one update brings MetalLB, the network and its pool, and nothing is left to do", async () => {
  await succeeds(cluster.deploy(stack.up("--skip-preview")));
  const pool = await cluster.api.do<{ readonly spec: { readonly addresses: readonly string[] } }>({
    path: `${metallbObjects}/ipaddresspools/customers`,
  });
  assert.deepEqual(pool.spec.addresses, ["198.51.100.2-198.51.100.254"]);
  assert.equal(await statusOf(`${metallbObjects}/l2advertisements/customers`), 200);
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("a destroy does not wait for a node that is away, and says what it may still carry", async () => {
  // No kubelet of n2 will say that this pod has ended.
  await cluster.api.do({
    method: "POST",
    path: `${agentNamespace}/pods`,
    body: {
      metadata: { name: "agent-n2" },
      spec: {
        nodeName: "n2",
        containers: [{ name: "agent", image: engineImage }],
        automountServiceAccountToken: false,
      },
    },
  });
  await cluster.powerOff("n2");
  const said = await succeeds(stack.destroy("--skip-preview"));
  assert.match(said, /agents: n2 is not Ready in Kubernetes; its pod agent-n2 is deleted without it/);
  assert.equal(await statusOf(agentNamespace), 404);
  assert.match(said, /network customers: n2 is not Ready in Kubernetes; it removes the network when it returns/);
  assert.match(
    said,
    /agents: n2 was not heard when customers went, and may still carry it; its RouterNode stays as the record\. When the node is back, run "vlan-router cleanup" on it, then "kubectl delete routernode n2"/,
  );
  assert.deepEqual(await stateOf(stack), []);
  assert.equal(await statusOf(network), 404);
  assert.deepEqual([await statusOf(report("n1")), await statusOf(report("n2"))], [404, 200]);
});
