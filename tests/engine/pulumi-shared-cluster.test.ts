/**
 * Several stacks on one cluster, with the real engine and API server: who may declare the router, what a stack without one
 * takes from the cluster, and MetalLB's objects of a network. The steps build on each other and run in order.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/processes/index.js";
import type { Stack } from "../../lab/pulumi/stack.js";
import type { PublicNetworkObject, RouterNodeObject } from "../../model/index.js";
import { EngineCluster, engineImage, engineNodes } from "./engine-cluster.js";
import { definePools } from "./metallb-definitions.js";
import { type Declared, declareOn, programProject } from "./program-project.js";
import { refused } from "./refused.js";
import { stateOf, typesOf } from "./stack-state.js";
import { succeeds } from "./succeeds.js";

const group = "/apis/vlan-router.io/v1alpha1";
const metallb = "/apis/metallb.io/v1beta1/namespaces/metallb-system";
const router = { image: engineImage, podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] };
const customers = {
  name: "customers",
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "10.0.7.0/24",
    bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 9 },
  },
  routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1", arpAnnouncer: true },
};
const tenants = {
  name: "tenants",
  type: "vlan",
  vlan: { parent: "eth0", id: 220 },
  routing: { cidr: "198.51.100.0/29", gateway: "198.51.100.1" },
  nodeSelector: { rack: "a" },
};
const urnOfTenants = "urn:pulumi:second::shared-cluster::vlan-router:index:PublicNetwork::tenants";

let cluster: EngineCluster;
let directory: string;
let first: Stack;
let second: Stack;

before(async () => {
  cluster = await EngineCluster.start();
  directory = await mkdtemp(join(tmpdir(), "vlan-router-program-"));
  const project = await programProject(join(directory, "project"));
  first = await cluster.stack(project, "first");
  second = await cluster.stack(project, "second");
});

after(async () => {
  await cluster.end();
  await rm(directory, { recursive: true, force: true });
});

const declare = (stack: Stack, declared: Declared, kubeconfig = cluster.api.adminKubeconfig()): Promise<void> =>
  declareOn(stack, declared, kubeconfig);

const objectNames = async (path: string) =>
  (
    await cluster.api.do<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>({ path })
  ).items.map(({ metadata }) => metadata.name);

test("a network without a router is refused at preview while the cluster has none", async () => {
  await declare(second, { networks: { tenants } });
  const said = await refused(second.preview());
  assert.match(
    said,
    /the cluster has no VlanRouter "default", so no node would carry the network; declare a VlanRouter component and pass it as "router"/,
  );
});

test("the first stack declares router and network; nodes that are away hold it only when none may be", async () => {
  const impatient = { ...customers, timeoutSeconds: 3, nodes: { tolerateUnreachable: false } };
  await declare(first, { router, networks: { customers: impatient } });
  const said = await refused(first.up());
  for (const node of engineNodes) {
    assert.match(
      said,
      new RegExp(`${node} is not Ready in Kubernetes; it is waited for, because nodes\\.tolerateUnreachable is false`),
    );
  }
  const kept = (await stateOf(first)).find(({ type }) => type === "pulumi-nodejs:dynamic/vlan-router:NetworkState");
  assert.deepEqual([kept?.outputs.ready, kept?.initErrors?.length], [false, 3]);

  await declare(first, { router, networks: { customers } });
  assert.match(await succeeds(first.up()), /n1 is not Ready in Kubernetes; it gets the network when it returns/);
  await cluster.startAgents();
  await succeeds(first.preview("--expect-no-changes"));
});

test("a field that somebody edited is named by refresh with both values and the writer, and taken back", async (t) => {
  const path = `${group}/publicnetworks/customers`;
  const edit = (spec: object) =>
    cluster.api.do({
      method: "PATCH",
      path: `${path}?fieldManager=kubectl-edit`,
      contentType: "application/merge-patch+json",
      body: { spec },
    });
  const edited = async () => {
    const { spec } = await cluster.api.do<{ spec: { vxlan: { mtu?: number; bgp: { holdTime: number } } } }>({ path });
    return [spec.vxlan.bgp.holdTime, spec.vxlan.mtu];
  };
  const bgp = { ...customers.vxlan.bgp, holdTime: 12 };

  // One that the program sets, and one that it does not.
  await edit({ vxlan: { mtu: 1400, bgp: { holdTime: 15 } } });
  await t.test(
    "what no refresh has shown is not overwritten, and the error names the writer and the remedy",
    async () => {
      await declare(first, { router, networks: { customers: { ...customers, vxlan: { ...customers.vxlan, bgp } } } });
      assert.match(
        await refused(first.up()),
        /conflict with "kubectl-edit".*\.spec\.vxlan\.bgp\.holdTime.*"pulumi up --refresh" shows them and takes them back/,
      );
      assert.deepEqual(await edited(), [15, 1400]);
      await declare(first, { router, networks: { customers } });
    },
  );
  await t.test("preview with refresh fails on it", async () => {
    const said = await refused(first.preview("--refresh", "--expect-no-changes", "--diff"));
    assert.ok(said.includes("15 (written by kubectl-edit), not 9"), said);
    assert.ok(said.includes("1400 (written by kubectl-edit), not unset"), said);
  });
  await t.test("an update after a refresh takes it back", async () => {
    await succeeds(first.up("--refresh"));
    assert.deepEqual(await edited(), [9, undefined]);
    // The nodes, which nobody makes Ready here, stay as drift.
    assert.doesNotMatch(await succeeds(first.preview("--refresh", "--diff")), /kubectl-edit/);
  });
});

test("what somebody edited in the router's own objects is drift, and an update after a refresh takes it back", async () => {
  interface Edit {
    readonly path: string;
    readonly contentType: "application/strategic-merge-patch+json" | "application/merge-patch+json";
    readonly body: object;
  }
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const builtIn = "application/strategic-merge-patch+json";
  const daemonSet = "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent";
  const container = { name: "agent", securityContext: { capabilities: { add: ["NET_ADMIN"] } } };
  const edits: Readonly<Record<string, Edit>> = {
    "the agents' capabilities and node selector": {
      path: daemonSet,
      contentType: builtIn,
      body: {
        spec: { template: { spec: { containers: [container], nodeSelector: { "kubernetes.io/os": "windows" } } } },
      },
    },
    "the agents' permissions": {
      path: `${rbac}/clusterroles/vlan-router-agent`,
      contentType: builtIn,
      body: { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
    },
    "the router's pod networks": {
      path: `${group}/vlanrouters/default`,
      contentType: "application/merge-patch+json",
      body: { spec: { podNetworks: ["10.244.0.0/16"] } },
    },
  };
  const declared = () =>
    Promise.all(
      Object.entries(edits).map(async ([name, { path }]) => {
        const { spec, rules } = await cluster.api.do<{ readonly spec?: object; readonly rules?: object }>({ path });
        return { name, spec, rules };
      }),
    );
  const before = await declared();
  for (const { path, contentType, body } of Object.values(edits)) {
    await cluster.api.do({ method: "PATCH", path: `${path}?fieldManager=kubectl-edit`, contentType, body });
  }
  for (const [index, edited] of (await declared()).entries()) assert.notDeepEqual(edited, before[index]);
  const said = await refused(first.preview("--refresh", "--expect-no-changes"));
  for (const resource of ["DaemonSet router-agent", "ClusterRole router-agent", "VlanRouter router-settings"]) {
    assert.match(said, new RegExp(`~ \\S*${resource} update \\[diff: `));
  }
  await succeeds(first.up("--refresh"));
  assert.deepEqual(await declared(), before);
});

test("another address of the same cluster replaces nothing in it", async () => {
  const paths = [
    `${group}/vlanrouters/default`,
    `${group}/publicnetworks/customers`,
    "/api/v1/namespaces/vlan-router",
    "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/vlan-router-agent",
  ];
  const uids = () =>
    Promise.all(
      paths.map(async (path) => (await cluster.api.do<{ metadata: { readonly uid: string } }>({ path })).metadata.uid),
    );
  const before = await uids();
  await declare(first, { router, networks: { customers } }, await cluster.relayedKubeconfig());
  assert.match(await succeeds(first.up()), /~ 5 updated/);
  assert.deepEqual(await uids(), before);
  await declare(first, { router, networks: { customers } });
  assert.match(await succeeds(first.up("--skip-preview")), /~ 5 updated/);
  assert.deepEqual(await uids(), before);
});

test("a second stack's router is refused at preview, by the first stack's name, and nothing is touched", async () => {
  const path = `${group}/vlanrouters/default`;
  const before = await cluster.api.do<object>({ path });
  await declare(second, { router: { ...router, podNetworks: ["10.0.0.0/8"], retainDefinitions: false } });
  for (const run of [second.preview(), second.up()]) {
    assert.match(
      await refused(run),
      /VlanRouter default belongs to stack shared-cluster\/first \(urn:pulumi:first::shared-cluster::vlan-router:index:VlanRouter::router\); a cluster has one: leave the VlanRouter component out/,
    );
  }
  assert.deepEqual(await cluster.api.do<object>({ path }), before);
  assert.deepEqual(await stateOf(second), []);
});

test("without a preview too, the second router stops before it touches the first one's objects, and its destroy takes nothing away", async () => {
  const objects = async () => ({
    router: await cluster.api.do<object>({ path: `${group}/vlanrouters/default` }),
    daemonSet: await cluster.api.do<object>({ path: "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent" }),
    namespace: await cluster.api.do<object>({ path: "/api/v1/namespaces/vlan-router" }),
    network: await cluster.api.do<object>({ path: `${group}/publicnetworks/customers` }),
    clusterRole: await cluster.api.do<object>({
      path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/vlan-router-agent",
    }),
  });
  const untouched = await objects();
  assert.match(await refused(second.up("--skip-preview")), /VlanRouter default belongs to stack shared-cluster\/first/);
  assert.deepEqual(await objects(), untouched);
  await succeeds(second.destroy());
  assert.deepEqual(await objects(), untouched);
  await succeeds(first.preview("--expect-no-changes"));
});

test("a network without a router takes pod networks and commands from the cluster", async (t) => {
  await declare(second, { networks: { tenants } });
  const preview = await succeeds(second.preview("--diff", "--show-full-output"));
  assert.ok(
    preview.includes("ip -4 rule add priority 3000 from 198.51.100.0/29 to 10.244.0.0/16 protocol 118 lookup main"),
    preview,
  );
  await succeeds(second.up());
  await succeeds(second.preview("--expect-no-changes"));
  assert.deepEqual(await objectNames(`${group}/publicnetworks`), ["customers", "tenants"]);

  await t.test("one that clashes with the first stack's is refused at preview", async () => {
    const clashing = { ...tenants, name: "gold", vlan: { parent: "eth0", id: 228 } };
    await declare(second, { networks: { tenants, gold: clashing } });
    assert.match(await refused(second.preview()), /228 is the routing table that customers\.vxlan\.vni already uses/);
  });
});

test("what another program has on a node is refused at preview with object, node and remedy", async () => {
  await cluster.namespaces.ip(
    "n1",
    "link add overlay type vxlan id 240 dstport 4789",
    "link add vxlan241 type bridge",
    "link add metadata0 type vxlan external dstport 8472",
    "rule add priority 242 lookup 242",
  );
  const foreign = await waitFor(
    "n1 to report them",
    async () => {
      const { status } = await cluster.api.do<RouterNodeObject>({ path: `${group}/routernodes/n1` });
      return status?.foreign?.interfaces.length === 3 && status.foreign.tables.length === 1 && status.foreign;
    },
    { timeout: 30_000, interval: 200 },
  );
  assert.deepEqual(
    foreign.interfaces.map(({ name }) => name),
    ["metadata0", "overlay", "vxlan241"],
  );
  const tunnel = (vni: number, port: number, routing: object) => ({
    name: "gold",
    type: "vxlan",
    vxlan: { vni, port, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.19"] },
    routing: { cidr: "192.0.2.0/28", gateway: "192.0.2.1", ...routing },
  });
  const refusedFor = async (gold: object) => {
    await declare(second, { networks: { tenants, gold } });
    return refused(second.preview());
  };
  const segment = await refusedFor(tunnel(240, 4789, { table: 242 }));
  for (const reason of [
    "vxlan.vni: 240 on UDP port 4789 belongs to the interface overlay of n1, which another program has made; remove overlay there, " +
      "choose another VNI, or another vxlan.port on the peers too",
    "routing.table: 242 is a routing table that another program's rule looks up on n1, for packets of any source; set " +
      "routing.table to another number, or remove that rule first",
  ]) {
    assert.ok(segment.includes(reason), segment);
  }
  const port = await refusedFor(tunnel(241, 8472, {}));
  for (const reason of [
    "vxlan.vni: 241 makes the interface vxlan241, which another program has made on n1; remove vxlan241 there, choose another " +
      "number, or keep the network off such nodes with nodeSelector",
    "vxlan.port: 8472 is held by the interface metadata0 of n1, which takes every VNI of it; choose another vxlan.port, on the peers too",
  ]) {
    assert.ok(port.includes(reason), port);
  }
  await declare(second, { networks: { tenants, gold: tunnel(243, 4789, {}) } });
  await succeeds(second.preview());
});

test("a pool without MetalLB is a warning at preview, which an update may still install, and refused at creation", async () => {
  const missing =
    /the cluster has no IPAddressPool and no L2Advertisement of metallb\.io\/v1beta1, of which an address pool is made; install MetalLB first/;
  const pooled = {
    ...tenants,
    name: "pooled",
    vlan: { parent: "eth0", id: 230 },
    routing: { cidr: "192.0.2.0/29", gateway: "192.0.2.1" },
    addressPool: true,
  };
  await declare(second, { networks: { tenants, pooled } });
  assert.match(await succeeds(second.preview()), missing);
  const before = await objectNames(`${group}/publicnetworks`);
  const said = await refused(second.up("--skip-preview"));
  assert.match(said, missing);
  assert.match(said, /not there after 30 s/);
  assert.deepEqual(await objectNames(`${group}/publicnetworks`), before);
  await declare(second, { networks: { tenants: { ...tenants, addressPool: true } } });
});

test("with MetalLB's definitions the pool is made, for the network's interface and nodes", async (t) => {
  await definePools(cluster.api);

  await t.test("not while another pool has some of its addresses", async () => {
    const pool = { metadata: { name: "public" }, spec: { addresses: ["198.51.100.4/30"] } };
    const body = { apiVersion: "metallb.io/v1beta1", kind: "IPAddressPool", ...pool };
    await cluster.api.do({ method: "POST", path: `${metallb}/ipaddresspools`, body });
    assert.match(
      await refused(second.preview()),
      /198\.51\.100\.2-198\.51\.100\.6 overlaps IPAddressPool metallb-system\/public, and MetalLB takes no address in two pools/,
    );
    await cluster.api.do({ method: "DELETE", path: `${metallb}/ipaddresspools/public` });
  });

  await succeeds(second.up());
  interface Spec {
    readonly spec: unknown;
  }
  // 198.51.100.0 and .7 are the network and its broadcast address, .1 is the gateway.
  assert.deepEqual((await cluster.api.do<Spec>({ path: `${metallb}/ipaddresspools/tenants` })).spec, {
    addresses: ["198.51.100.2-198.51.100.6"],
    // MetalLB's own defaults.
    autoAssign: true,
    avoidBuggyIPs: false,
  });
  assert.deepEqual((await cluster.api.do<Spec>({ path: `${metallb}/l2advertisements/tenants` })).spec, {
    ipAddressPools: ["tenants"],
    interfaces: ["vlan220"],
    nodeSelectors: [{ matchLabels: { rack: "a" } }],
  });
  const { tenants: shown } = (await second.outputs()) as { readonly tenants: unknown };
  assert.deepEqual(shown, {
    routingTable: 220,
    addressPool: { name: "tenants", namespace: "metallb-system", addresses: ["198.51.100.2-198.51.100.6"] },
    nodeCount: 0,
  });

  await t.test("a second preview, also with refresh, shows no change", async () => {
    await succeeds(second.preview("--expect-no-changes", "--refresh"));
  });

  await t.test("another gateway changes the pool", async () => {
    const routing = { cidr: "198.51.100.0/29", gateway: "198.51.100.6" };
    await declare(second, { networks: { tenants: { ...tenants, routing, addressPool: true } } });
    await succeeds(second.up());
    const { spec } = await cluster.api.do<{ readonly spec: { readonly addresses: unknown } }>({
      path: `${metallb}/ipaddresspools/tenants`,
    });
    assert.deepEqual(spec.addresses, ["198.51.100.1-198.51.100.5"]);
  });

  await t.test("another name replaces the pool", async () => {
    await declare(second, { networks: { tenants: { ...tenants, addressPool: { name: "gold" } } } });
    await succeeds(second.up());
    for (const kind of ["ipaddresspools", "l2advertisements"]) {
      assert.deepEqual(await objectNames(`${metallb}/${kind}`), ["gold"]);
    }
  });
});

test("another cluster behind the same address is refused at preview, and before anything is written", async () => {
  const key = "/registry/namespaces/kube-system";
  const putBack = await cluster.api.kept(key);
  const daemonSet = () => cluster.api.do<object>({ path: "/apis/apps/v1/namespaces/vlan-router/daemonsets/agent" });
  const before = await daemonSet();
  await cluster.api.forget(key);
  try {
    await cluster.api.do({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "kube-system" } } });
    await declare(first, { router: { ...router, image: "agent:another" }, networks: {} });
    for (const run of [first.preview(), first.up("--skip-preview")]) {
      assert.match(
        await refused(run),
        /leads to the cluster with uid \S+, but the state was made in the cluster with uid \S+; nothing was changed/,
      );
    }
    assert.deepEqual(await daemonSet(), before);
  } finally {
    await putBack();
  }
  // The components hold what the program said, though nothing came of it.
  await declare(first, { router, networks: { customers } });
  await succeeds(first.up());
  await succeeds(first.preview("--expect-no-changes"));
});

test("a network under another logical name is refused at preview without an alias, and moved with the one that the refusal names", async () => {
  const network = { ...tenants, addressPool: { name: "gold" } };
  const before = await cluster.api.do<PublicNetworkObject>({ path: `${group}/publicnetworks/tenants` });
  await declare(second, { networks: { berlin: network } });
  const said = await refused(second.preview());
  assert.ok(said.includes(`name: PublicNetwork tenants already belongs to ${urnOfTenants} of this stack; `), said);
  assert.ok(said.includes(`give it the option aliases: ["${urnOfTenants}"], or its old name and parent again`), said);
  await declare(second, { networks: { berlin: { ...network, aliases: [urnOfTenants] } } });
  await succeeds(second.up());
  const { metadata, spec } = await cluster.api.do<PublicNetworkObject>({ path: `${group}/publicnetworks/tenants` });
  assert.deepEqual([metadata.uid, spec], [before.metadata.uid, before.spec]);
  await succeeds(second.preview("--expect-no-changes"));
});

test("the second stack goes without touching the first one's", async () => {
  await succeeds(second.destroy());
  assert.deepEqual(await objectNames(`${group}/publicnetworks`), ["customers"]);
  assert.deepEqual(await objectNames(`${metallb}/ipaddresspools`), []);
  await succeeds(first.preview("--expect-no-changes"));
  assert.equal(typesOf(await stateOf(first))["kubernetes:vlan-router.io/v1alpha1:VlanRouter"], 1);
  assert.deepEqual(await objectNames(`${group}/routernodes`), [...engineNodes]);
  await succeeds(first.destroy());
  // The agents still run here, but may no longer write.
  assert.deepEqual(await objectNames(`${group}/routernodes`), []);
});
