/**
 * What must not make a stack lose or replace its objects, on the real engine and API server: a state of a version whose Kubernetes
 * providers had no clusterIdentifier, credentials that are refused, and another name. The steps build on each other.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/processes/index.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import { EngineCluster, engineImage, engineNodes } from "../engine/engine-cluster.js";
import { programFolder } from "../engine/program-folder.js";
import { stateOf } from "../engine/stack-state.js";
import { succeeds } from "../engine/succeeds.js";

const project = "identity";
const program = `const pulumi = require("@pulumi/pulumi");
const { PublicNetwork, VlanRouter } = require("pulumi-vlan-router");

const late = {
  async diff(_id, olds, news) { return olds.kubeconfig === news.kubeconfig ? {} : { replaces: ["kubeconfig"] }; },
  async create(inputs) { return { id: "late", outs: { ...inputs, made: inputs.kubeconfig } }; },
};
class Late extends pulumi.dynamic.Resource {
  constructor(kubeconfig) { super(late, "late", { kubeconfig, made: undefined }, { additionalSecretOutputs: ["kubeconfig", "made"] }); }
}
const config = new pulumi.Config();
const given = config.getSecret("late");
const router = new VlanRouter("router", {
  ...(given === undefined ? {} : { cluster: { kubeconfig: new Late(given).made } }),
  image: config.require("image"),
  podNetworks: ["10.244.0.0/16"],
});
new PublicNetwork("customers", {
  router,
  name: "customers",
  type: "vxlan",
  vxlan: { vni: 240, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.11", "10.0.7.12"] },
  routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
});
`;
const group = "/apis/vlan-router.io/v1alpha1";
const objects = [
  `${group}/vlanrouters/default`,
  `${group}/publicnetworks/customers`,
  "/api/v1/namespaces/vlan-router",
  "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles/vlan-router-agent",
];
const serviceAccounts = "/api/v1/namespaces/default/serviceaccounts";
const kubeconfigKey = "vlan-router:kubeconfig";

let cluster: EngineCluster;
let directory: string;
let stack: Stack;
let first: readonly string[];

before(async () => {
  cluster = await EngineCluster.start();
  directory = await mkdtemp(join(tmpdir(), "vlan-router-identity-"));
  stack = await cluster.stack(await programFolder(join(directory, "project"), project, program), "dev");
  for (const node of engineNodes) await cluster.hear(node, true);
  await configure({ [kubeconfigKey]: cluster.api.adminKubeconfig() });
  await succeeds(cluster.deploy(stack.up("--skip-preview")));
  first = await uids();
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

const configure = (secrets: Readonly<Record<string, string>>) =>
  stack.configure({ [`${project}:image`]: engineImage }, secrets);

interface Named {
  readonly metadata: { readonly uid: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** An object that was made again has another uid. */
const uids = () => Promise.all(objects.map(async (path) => (await cluster.api.do<Named>({ path })).metadata.uid));

const ownerOf = async (path: string) =>
  (await cluster.api.do<Named>({ path })).metadata.annotations?.["vlan-router.io/owner"];

async function refused(run: ReturnType<Stack["up"]>): Promise<string> {
  const { code, stdout, stderr } = await run;
  assert.notEqual(code, 0, stdout);
  return `${stdout}\n${stderr}`.replaceAll(/\s+/g, " ");
}

/** A kubeconfig of its own for whoever deploys. */
async function serviceAccount(name: string): Promise<string> {
  await cluster.api.do({ method: "POST", path: serviceAccounts, body: { metadata: { name } } });
  await cluster.api.do({
    method: "POST",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    body: {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    },
  });
  const { status } = await cluster.api.do<{ readonly status: { readonly token: string } }>({
    method: "POST",
    path: `${serviceAccounts}/${name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 7200 } },
  });
  const kubeconfig = JSON.parse(cluster.api.adminKubeconfig());
  kubeconfig.users[0].user = { token: status.token };
  return JSON.stringify(kubeconfig);
}

/** Its tokens are refused from here on; the API server keeps its answer about a token for a moment. */
async function revoke(name: string, kubeconfig: string): Promise<void> {
  await cluster.api.do({ method: "DELETE", path: `${serviceAccounts}/${name}` });
  const { token } = JSON.parse(kubeconfig).users[0].user;
  await waitFor(
    "the token to be refused",
    async () => (await cluster.api.request({ path: "/api", token })).status === 401,
    {
      timeout: 60_000,
      interval: 500,
    },
  );
}

test("a stack of an earlier version gets the identifier without a replacement, and not together with another address", async () => {
  const checkpoint = JSON.parse(await stack.exported("--show-secrets"));
  for (const { inputs, outputs } of checkpoint.deployment.resources) {
    for (const properties of [inputs, outputs]) {
      delete properties?.clusterIdentifier;
      delete properties?.objectsProvider;
    }
  }
  await stack.import(JSON.stringify(checkpoint));

  await configure({ [kubeconfigKey]: await cluster.relayedKubeconfig() });
  for (const run of [() => stack.preview(), () => stack.up("--skip-preview")]) {
    assert.match(
      await refused(run()),
      /cluster\.kubeconfig: an earlier version .* Run one update with the kubeconfig as it was/,
    );
  }
  assert.deepEqual(await uids(), first);

  await configure({ [kubeconfigKey]: cluster.api.adminKubeconfig() });
  assert.match(await succeeds(stack.up()), /~ 3 updated/);
  const providers = (await stateOf(stack)).filter(({ type }) => type === "pulumi:providers:kubernetes");
  assert.deepEqual(
    providers.map(({ inputs }) => inputs.clusterIdentifier),
    ["vlan-router", "vlan-router"],
  );
  await configure({ [kubeconfigKey]: await cluster.relayedKubeconfig() });
  await succeeds(stack.up("--skip-preview"));
  assert.deepEqual(await uids(), first);
});

test("credentials that only deployment knows are no reason to replace anything", async () => {
  const kubeconfig = cluster.api.adminKubeconfig();
  for (const text of [kubeconfig, kubeconfig.replace("insecure-skip", 'disable-compression":true,"insecure-skip')]) {
    await configure({ [`${project}:late`]: text });
    assert.doesNotMatch(await succeeds(stack.preview()), /delete original \[diff: ~provider\]/);
    await succeeds(stack.up("--skip-preview"));
    assert.deepEqual(await uids(), first);
  }
});

test("content of a kubeconfig that was rotated: refresh says what it takes, and --run-program is that", async () => {
  const old = await serviceAccount("deployer");
  await configure({ [kubeconfigKey]: old });
  await succeeds(stack.up("--skip-preview"));
  await revoke("deployer", old);
  await configure({ [kubeconfigKey]: cluster.api.adminKubeconfig() });
  assert.match(
    await refused(stack.refresh("--yes", "--skip-preview")),
    /says 401: .* "pulumi up" without --refresh takes those that the program names now; with --run-program the stack configuration/,
  );
  await succeeds(stack.refresh("--yes", "--skip-preview", "--run-program"));
  await succeeds(stack.up("--skip-preview"));
  await succeeds(stack.refresh("--yes", "--skip-preview"));
  assert.deepEqual(await uids(), first);
});

test("a stack that is renamed keeps its objects, and its next update writes the new name", async () => {
  stack = await stack.rename("production");
  assert.match(await succeeds(stack.preview()), /~ 3 to update/);
  assert.match(await succeeds(stack.up("--skip-preview")), /~ 3 updated/);
  assert.deepEqual(await uids(), first);
  const urn = "identity/production urn:pulumi:production::identity::vlan-router:index";
  assert.deepEqual(await Promise.all(objects.slice(0, 2).map(ownerOf)), [
    `${urn}:VlanRouter::router`,
    `${urn}:PublicNetwork::customers`,
  ]);
  await succeeds(stack.preview("--expect-no-changes", "--refresh"));
});

test("destroy too takes rotated credentials with --run-program", async () => {
  const old = await serviceAccount("remover");
  await configure({ [kubeconfigKey]: old });
  await succeeds(stack.up("--skip-preview"));
  await revoke("remover", old);
  await configure({ [kubeconfigKey]: cluster.api.adminKubeconfig() });
  await succeeds(stack.destroy("--skip-preview", "--run-program"));
  assert.deepEqual(await stateOf(stack), []);
});
