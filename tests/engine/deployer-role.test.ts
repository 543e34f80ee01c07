/** The permissions that docs/reference/pulumi.md gives to whoever runs the engine are enough, and each of them is used. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import type { Stack } from "../../lab/pulumi/stack.js";
import { limitedUsers } from "./bare-api-server.js";
import { EngineCluster, engineImage, engineNodes } from "./engine-cluster.js";
import { definePools } from "./metallb-definitions.js";
import { repositoryRoot } from "./package-project.js";
import { grantedPermissions, type Rule, usedPermissions } from "./permissions.js";
import { declareOn, programProject } from "./program-project.js";
import { refused } from "./refused.js";
import { succeeds } from "./succeeds.js";

interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules: readonly Rule[];
}

const rbac = "/apis/rbac.authorization.k8s.io/v1/";
/** Without them the API server refuses to let somebody hand on rights that he does not have. */
const handingOn = new Set(["bind", "escalate"]);
/**
 * Verbs that no request has: they are looked up besides that of a request, `create` for an apply that makes the object
 * (Kubernetes, staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go).
 */
const implied = new Set([...handingOn, "create"]);

let cluster: EngineCluster;
let directory: string;
let stack: Stack;

const customers = {
  name: "customers",
  type: "vxlan",
  vxlan: { vni: 228, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.19"] },
  routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
  addressPool: true,
};

before(async () => {
  cluster = await EngineCluster.start();
  for (const node of engineNodes) await cluster.hear(node, true);
  await definePools(cluster.api);
  directory = await mkdtemp(join(tmpdir(), "vlan-router-deployer-"));
  stack = await cluster.stack(await programProject(join(directory, "project")), "deployer");
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

/** The role as the page shows it. */
function documentedRole(): RoleObject {
  const page = readFileSync(join(repositoryRoot, "docs/reference/pulumi.md"), "utf8");
  const block = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].find(([, text]) => text?.includes("kind: ClusterRole"));
  return parse(block?.[1] ?? "") as RoleObject;
}

/** The role without some verbs. */
const without = ({ rules, ...role }: RoleObject, taken: ReadonlySet<string>): RoleObject => ({
  ...role,
  rules: rules
    .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => !taken.has(verb)) }))
    .filter(({ verbs }) => verbs.length > 0),
});

async function bind(role: RoleObject): Promise<void> {
  await cluster.api.do({ method: "POST", path: `${rbac}clusterroles`, body: role });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role.metadata.name };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: limitedUsers.deployer }];
  const body = { metadata: { name: role.metadata.name }, roleRef, subjects };
  await cluster.api.do({ method: "POST", path: `${rbac}clusterrolebindings`, body });
}

const declare = (network: object) =>
  declareOn(
    stack,
    {
      router: { image: engineImage, podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] },
      networks: { customers: network },
    },
    cluster.api.deployerKubeconfig(),
  );

test("the documented permissions carry a stack through its life, and none of them is in vain", async (t) => {
  const role = documentedRole();
  await declare(customers);

  const becomes = (other: RoleObject) =>
    cluster.api.do({ method: "PUT", path: `${rbac}clusterroles/${role.metadata.name}`, body: other });

  await t.test("an apply that makes an object takes the right to create it", async () => {
    await bind(without(role, new Set(["create"])));
    assert.match(await refused(stack.up()), /cannot create resource/);
  });
  await t.test("without the right to hand on what the agents need, the update is refused", async () => {
    await becomes(without(role, handingOn));
    assert.match(await refused(stack.up()), /attempting to grant RBAC permissions not currently held/);
  });
  await t.test("with both, everything is made, changed, compared and removed", async () => {
    await becomes(role);
    await succeeds(cluster.deploy(stack.up()));
    await declare({ ...customers, addressPool: { autoAssign: false } });
    await succeeds(stack.up());
    await succeeds(stack.refresh("--yes"));
    await succeeds(stack.preview("--refresh"));
    await succeeds(stack.destroy());
  });
  await t.test("each permission was used", async () => {
    const used = usedPermissions(await cluster.api.requestsOf("deployer"));
    assert.deepEqual(used, grantedPermissions(without(role, implied).rules));
  });
});
