import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import { clusterRole, clusterRoleBinding, role, roleBinding } from "../../components/rbac.js";
import { waitFor } from "../../lab/index.js";
import { locateToolchain } from "../../lab/toolchain/index.js";
import {
  customResourceDefinitions,
  type NetworkStatus,
  nodesFinalizer,
  type PublicNetworkObject,
  type RouterNodeObject,
} from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import { TestNamespaces } from "../support/namespace.js";
import { BareApiServer } from "./bare-api-server.js";
import { metallbDefinition } from "./metallb-definitions.js";
import { grantedPermissions, type Rule, usedPermissions } from "./permissions.js";

/** The agents of two nodes against a real API server, with the rights that the components give them and no others. */

const group = "/apis/vlan-router.io/v1alpha1";
const mergePatch = "application/merge-patch+json";
const nodes = ["n1", "n2"] as const;
const addresses = { cp: "10.0.7.10", n1: "10.0.7.11", n2: "10.0.7.12" };

function vxlan(vni: number, gateway: string): Record<string, unknown> {
  const arpAnnouncer = { enabled: true, interval: 60 };
  const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 9 };
  return {
    type: "vxlan",
    vxlan: { vni, nodeNet: "10.0.7.0/24", port: 4789, bgp },
    routing: [{ cidr: gateway.replace(/\d+$/, "0/24"), gateway, onlink: false, returnPath: "auto", arpAnnouncer }],
  };
}

describe("the agent's edge to the API server", () => {
  let net: TestNamespaces;
  let api: BareApiServer;
  let agents: Readonly<Record<(typeof nodes)[number], AgentProcess>>;

  const create = (path: string, body: unknown) => api.do({ method: "POST", path, body });
  const patch = (path: string, body: unknown) => api.do({ method: "PATCH", path, contentType: mergePatch, body });
  const routerNode = (name: string) => api.do<RouterNodeObject>({ path: `${group}/routernodes/${name}` });
  const publicNetwork = (name: string) => api.request({ path: `${group}/publicnetworks/${name}` });
  const createNetwork = (name: string, spec: Record<string, unknown>) =>
    create(`${group}/publicnetworks`, {
      apiVersion: "vlan-router.io/v1alpha1",
      kind: "PublicNetwork",
      metadata: { name },
      spec,
    });
  const routes = async (place: string, table: number) =>
    (await net.exec(place, ["ip", "route", "show", "table", String(table)], { check: false })).stdout;

  /** Waits until the RouterNodes of these nodes say so. */
  const until = (
    what: string,
    holds: (networks: ReadonlyMap<string, NetworkStatus>, object: RouterNodeObject) => boolean,
    places: readonly string[] = nodes,
    timeout = 30_000,
  ) =>
    waitFor(
      what,
      async () => {
        const objects = await Promise.all(places.map(routerNode));
        return objects.every((object) =>
          holds(new Map((object.status?.networks ?? []).map((network) => [network.name, network])), object),
        );
      },
      { timeout, interval: 100 },
    );
  const applied = (network: NetworkStatus | undefined) =>
    network?.conditions.some(({ type, status }) => type === "Applied" && status === "True") ?? false;

  before(async () => {
    net = await TestNamespaces.start(["cp", ...nodes]);
    await net.ip("cp", "link add br0 type bridge", "link set br0 up", `address add ${addresses.cp}/24 dev br0`);
    for (const name of nodes) {
      await net.connect(name, "eth0", "cp", name);
      await net.ip("cp", `link set ${name} master br0`);
      await net.ip(name, `address add ${addresses[name]}/24 dev eth0`);
    }
    api = await BareApiServer.start(net, "cp", addresses.cp);
    for (const definition of customResourceDefinitions()) {
      await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    await create("/api/v1/namespaces", { metadata: { name: "vlan-router" } });
    await create("/apis/rbac.authorization.k8s.io/v1/clusterroles", clusterRole());
    await create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", clusterRoleBinding());
    await create("/apis/rbac.authorization.k8s.io/v1/namespaces/vlan-router/roles", role());
    await create("/apis/rbac.authorization.k8s.io/v1/namespaces/vlan-router/rolebindings", roleBinding());
    for (const name of nodes) {
      await create("/api/v1/nodes", { metadata: { name, labels: { "kubernetes.io/hostname": name } } });
      const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }];
      await patch(`/api/v1/nodes/${name}/status`, { status: { conditions } });
    }
    const started = (name: string) =>
      AgentProcess.create(inNamespaces(net), name, "--kubeconfig", api.agentKubeconfig());
    agents = { n1: await started("n1"), n2: await started("n2") };
    for (const name of nodes) {
      agents[name].start();
    }
  });
  after(async () => {
    for (const name of nodes) {
      await agents[name].end();
    }
    await net.end();
    await api.end();
  });

  test("each agent makes its RouterNode, owned by its Node, and reports in it", async () => {
    await waitFor(
      "both RouterNodes to have a status",
      async () => {
        const answers = await Promise.all(nodes.map((name) => api.request({ path: `${group}/routernodes/${name}` })));
        return answers.every(
          ({ status, body }) => status === 200 && (body as RouterNodeObject).status?.agent.version === "0.1.0",
        );
      },
      { timeout: 30_000, interval: 100 },
    );
    const node = await api.do<{ metadata: { uid: string } }>({ path: "/api/v1/nodes/n1" });
    const { metadata } = await api.do<{ metadata: { ownerReferences: unknown } }>({ path: `${group}/routernodes/n1` });
    assert.deepEqual(metadata.ownerReferences, [
      { apiVersion: "v1", kind: "Node", name: "n1", uid: node.metadata.uid },
    ]);
  });

  test("a network is versioned, told to every node and carried by it", async () => {
    await create(`${group}/vlanrouters`, {
      apiVersion: "vlan-router.io/v1alpha1",
      kind: "VlanRouter",
      metadata: { name: "default" },
      spec: { podNetworks: ["10.244.0.0/16", "10.96.0.0/16"] },
    });
    await createNetwork("edge", vxlan(228, "203.0.113.1"));
    await until("both nodes to carry it", (networks) => applied(networks.get("edge")));
    const { body } = await publicNetwork("edge");
    assert.deepEqual((body as PublicNetworkObject).metadata.finalizers, [nodesFinalizer]);
    for (const name of nodes) {
      assert.match(await routes(name, 228), /default via 203\.0\.113\.1 dev vxlan228/);
      const { spec, status } = await routerNode(name);
      assert.equal(status?.networks[0]?.revision, spec.networks[0]?.revision);
    }
  });

  test("kubectl shows what an operator wants to see: columns, conditions and events", async () => {
    const kubectl = async (...args: readonly string[]) => {
      const program = locateToolchain().path("kubectl");
      const kubeconfig = join(await mkdtemp(join(tmpdir(), "vlan-router-kubectl-")), "kubeconfig");
      await writeFile(kubeconfig, api.adminKubeconfig());
      try {
        return (await net.exec("cp", [program, `--kubeconfig=${kubeconfig}`, ...args])).stdout;
      } finally {
        await rm(dirname(kubeconfig), { recursive: true });
      }
    };
    const [head = "", line = ""] = (await kubectl("get", "publicnetworks")).split("\n");
    assert.deepEqual(head.split(/\s+/).filter(Boolean), ["NAME", "TYPE", "VNI", "VLAN", "CIDR", "GATEWAY", "AGE"]);
    assert.match(line, /^edge +vxlan +228 +203\.0\.113\.0\/24 +203\.0\.113\.1 /);
    const [nodeHead = "", ...nodeLines] = (await kubectl("get", "routernodes")).trim().split("\n");
    assert.deepEqual(nodeHead.split(/\s+/), ["NAME", "VERSION", "HEARTBEAT", "AGE"]);
    assert.deepEqual(
      nodeLines.map((text) => text.split(/\s+/).slice(0, 2)),
      [
        ["n1", "0.1.0"],
        ["n2", "0.1.0"],
      ],
    );

    // Events come after the status; `describe` finds them by name and uid of the object.
    const shows = (words: RegExp, ...args: readonly string[]) =>
      waitFor(`kubectl describe ${args.join(" ")}`, async () => words.test(await kubectl("describe", ...args)), {
        timeout: 15_000,
        interval: 500,
      });
    await shows(/^ +Normal +Applied .* vlan-router-agent +edge: /m, "routernode", "n1");
    await shows(/^ +Normal +Applied .* vlan-router-agent +n[12]: /m, "publicnetwork", "edge");
    assert.match(await kubectl("describe", "routernode", "n1"), /Reason: +Applied\n +Status: +True\n +Type: +Applied/);
  });

  test("a changed network becomes a new version, and both are kept", async () => {
    const [before] = (await routerNode("n1")).spec.networks;
    await patch(`${group}/publicnetworks/edge`, { spec: vxlan(228, "203.0.113.254") });
    await until("both nodes to carry the new version", (networks, { spec }) => {
      const network = networks.get("edge");
      return (
        applied(network) && network?.revision !== before?.revision && network?.revision === spec.networks[0]?.revision
      );
    });
    assert.match(await routes("n2", 228), /default via 203\.0\.113\.254 dev vxlan228/);
    const { items } = await api.do<{ items: unknown[] }>({
      path: "/apis/apps/v1/namespaces/vlan-router/controllerrevisions",
    });
    assert.equal(items.length, 2);
  });

  test("without MetalLB everything else works, and the status says what is waited for", async () => {
    const [network] = (await routerNode("n1")).status?.networks ?? [];
    const waiting = network?.conditions.find(({ type }) => type === "ClaimsNotFollowed");
    assert.match(waiting?.message ?? "", /waiting for .*servicel2statuses/);
  });

  test("MetalLB's claims are followed once its kind appears, without a restart", async () => {
    const file = metallbDefinition("servicel2statuses");
    for (const document of parseAllDocuments(await readFile(file, "utf8"))) {
      await create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", document.toJS());
    }
    await create("/api/v1/namespaces", { metadata: { name: "metallb-system" } });
    for (const name of nodes) {
      const container = { name: "speaker", image: "speaker" };
      await create("/api/v1/namespaces/metallb-system/pods", {
        metadata: { name: `speaker-${name}`, labels: { component: "speaker" } },
        spec: { nodeName: name, containers: [container], automountServiceAccountToken: false },
      });
      const conditions = [{ type: "Ready", status: "True" }];
      await patch(`/api/v1/namespaces/metallb-system/pods/speaker-${name}/status`, { status: { conditions } });
    }
    await create("/api/v1/namespaces/default/services", {
      metadata: { name: "echo" },
      spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
    });
    const status = { loadBalancer: { ingress: [{ ip: "203.0.113.10" }] } };
    await patch("/api/v1/namespaces/default/services/echo/status", { status });
    await claim("n1", "l2-aaaaa");
    await until("n1 to answer for it", (networks) => isDeepEqual(networks.get("edge")?.addresses, ["203.0.113.10"]), [
      "n1",
    ]);
    assert.deepEqual((await routerNode("n2")).status?.networks[0]?.addresses, []);
  });

  test("a newer claim moves the address; the vanishing of the claim moves nothing", async () => {
    // The times of objects have a resolution of one second.
    await sleep(1100);
    await claim("n2", "l2-bbbbb");
    const claimed = performance.now();
    await until("n2 to answer for it", (networks) => isDeepEqual(networks.get("edge")?.addresses, ["203.0.113.10"]), [
      "n2",
    ]);
    await until("n1 to let go", (networks) => isDeepEqual(networks.get("edge")?.addresses, []), ["n1"]);
    console.log(`moved, as the status shows it, within ${Math.round(performance.now() - claimed)} ms`);
    for (const object of ["l2-aaaaa", "l2-bbbbb"]) {
      await api.do({
        method: "DELETE",
        path: `/apis/metallb.io/v1beta1/namespaces/metallb-system/servicel2statuses/${object}`,
      });
    }
    await sleep(2000);
    assert.deepEqual((await routerNode("n2")).status?.networks[0]?.addresses, ["203.0.113.10"]);
    assert.deepEqual((await routerNode("n1")).status?.networks[0]?.addresses, []);
  });

  test("MetalLB's event moves the address where it makes no status (metallb/metallb#2930)", async () => {
    const assign = (node: string, name: string) =>
      create("/api/v1/namespaces/default/events", {
        metadata: { name, namespace: "default" },
        involvedObject: { apiVersion: "v1", kind: "Service", namespace: "default", name: "echo" },
        reason: "nodeAssigned",
        message: `announcing from node "${node}" with protocol "layer2"`,
        source: { component: "metallb-speaker" },
        type: "Normal",
      });
    for (const [node, other, name] of [
      ["n1", "n2", "echo.18ed53743349cb0f"],
      ["n2", "n1", "echo.18ed537e30ddfbdc"],
    ] as const) {
      await sleep(1100);
      await assign(node, name);
      await until("it to answer", (networks) => isDeepEqual(networks.get("edge")?.addresses, ["203.0.113.10"]), [node]);
      await until("the other to let go", (networks) => isDeepEqual(networks.get("edge")?.addresses, []), [other]);
    }
  });

  test("without the API server an agent starts from what it carried last and what it owned", async () => {
    await api.stopApiServer();
    const standing = await routes("n2", 228);
    await agents.n2.stop();
    await net.ip("n2", "route flush table 228");
    agents.n2.start();
    await agents.n2.until("the plan stands without an API server", (networks) => applied(networks.get("edge")));
    assert.equal(await routes("n2", 228), standing);
    const status = await agents.n2.status();
    assert.deepEqual(status?.networks[0]?.addresses, ["203.0.113.10"]);
    await api.startApiServer();
  });

  test("when the holder of the Lease dies, another agent rolls out", async () => {
    const lease = () =>
      api.do<{ spec: { holderIdentity: string } }>({
        path: "/apis/coordination.k8s.io/v1/namespaces/vlan-router/leases/vlan-router",
      });
    await waitFor("an agent to hold the Lease", async () => (await lease()).spec.holderIdentity !== "", {
      timeout: 30_000,
    });
    const { holderIdentity } = (await lease()).spec;
    const other = holderIdentity === "n1" ? "n2" : "n1";
    await agents[holderIdentity as "n1" | "n2"].stop("SIGKILL");
    const [old] = (await routerNode(other)).spec.networks;
    await patch(`${group}/publicnetworks/edge`, { spec: vxlan(228, "203.0.113.1") });
    await until(
      "the surviving agent to carry the new version",
      (networks) => networks.get("edge")?.revision !== old?.revision && applied(networks.get("edge")),
      [other],
      45_000,
    );
    assert.match(await routes(other, 228), /default via 203\.0\.113\.1 /);
    assert.equal((await lease()).spec.holderIdentity, other);
    agents[holderIdentity as "n1" | "n2"].start();
    await until("both nodes to carry it", (networks) => applied(networks.get("edge")));
  });

  test("an object that is missing without having been deleted is an orphan and keeps working", async () => {
    await createNetwork("lost", vxlan(240, "198.51.100.1"));
    await until("both nodes to carry it", (networks) => applied(networks.get("lost")));
    await api.forget("/registry/vlan-router.io/publicnetworks/lost");
    await until("both nodes to call it an orphan", (networks) =>
      (networks.get("lost")?.conditions ?? []).some(({ type }) => type === "Orphaned"),
    );
    assert.match(await routes("n1", 240), /default via 198\.51\.100\.1 dev vxlan240/);
    const [orphan] = (await routerNode("n1")).spec.networks.filter(({ name }) => name === "lost");
    await api.do({
      method: "PATCH",
      path: `${group}/vlanrouters/default/status`,
      contentType: mergePatch,
      body: { status: { removed: [orphan?.uid] } },
    });
    await until(
      "both nodes to be rid of it",
      (networks, { spec }) => !networks.has("lost") && spec.networks.length === 1,
    );
    assert.equal(await routes("n1", 240), "");
  });

  test("a definition that is deleted takes no network from a node; made again, both carry it as before", async () => {
    await createNetwork("kept", vxlan(260, "198.51.100.1"));
    await until("both nodes to carry it", (networks) => applied(networks.get("kept")));
    const links = () =>
      Promise.all(nodes.map(async (name) => (await net.exec(name, ["ip", "link", "show", "vxlan260"])).stdout));
    const before = await links();
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const path = `${definitions}/publicnetworks.vlan-router.io`;
    await api.do({ method: "DELETE", path });
    await waitFor("the definition to go", async () => (await api.request({ path })).status === 404, {
      timeout: 30_000,
    });
    await until("both nodes to call it an orphan", (networks) =>
      (networks.get("kept")?.conditions ?? []).some(({ type }) => type === "Orphaned"),
    );
    const definition = customResourceDefinitions().find(
      ({ metadata }) => metadata.name === "publicnetworks.vlan-router.io",
    );
    await create(definitions, definition);
    await waitFor(
      "the API server to serve it",
      async () => (await api.request({ path: `${group}/publicnetworks` })).status === 200,
    );
    for (const [name, vni, gateway] of [
      ["edge", 228, "203.0.113.1"],
      ["kept", 260, "198.51.100.1"],
    ] as const) {
      await createNetwork(name, vxlan(vni, gateway));
    }
    await until("both nodes to carry the new objects", (networks) =>
      ["edge", "kept"].every((name) => {
        const conditions = networks.get(name)?.conditions ?? [];
        return applied(networks.get(name)) && !conditions.some(({ type }) => type === "Orphaned");
      }),
    );
    assert.deepEqual(await links(), before);
    await api.do({ method: "DELETE", path: `${group}/publicnetworks/kept` });
    await until("both nodes to be rid of it", (networks) => !networks.has("kept"));
  });

  test("deletion waits for every node, then the object goes and nothing of it remains", async () => {
    await agents.n2.stop();
    await api.do({ method: "DELETE", path: `${group}/publicnetworks/edge` });
    await until("n1 to be rid of it", (networks) => !networks.has("edge"), ["n1"]);
    await sleep(1000);
    assert.equal((await publicNetwork("edge")).status, 200);
    assert.match(await routes("n2", 228), /vxlan228/);
    agents.n2.start();
    await waitFor("the object to go", async () => (await publicNetwork("edge")).status === 404, { timeout: 45_000 });
    for (const name of nodes) {
      assert.deepEqual((await routerNode(name)).spec.networks, []);
      assert.equal(await routes(name, 228), "");
      assert.doesNotMatch((await net.exec(name, ["ip", "rule"])).stdout, /proto 118/);
      assert.doesNotMatch((await net.exec(name, ["ip", "link"])).stdout, /vxlan/);
    }
    const { items } = await api.do<{ items: { metadata: { name: string } }[] }>({
      path: "/apis/apps/v1/namespaces/vlan-router/controllerrevisions",
    });
    assert.deepEqual(
      items.filter(({ metadata }) => metadata.name.startsWith("edge-")),
      [],
    );
  });

  test("a node that is away holds up no deletion, and cleans up when it returns", async () => {
    await createNetwork("short", vxlan(250, "192.0.2.1"));
    await until("both nodes to carry it", (networks) => applied(networks.get("short")));
    const { uid } = ((await publicNetwork("short")).body as PublicNetworkObject).metadata;
    const ready = (status: string) =>
      patch("/api/v1/nodes/n2/status", { status: { conditions: [{ type: "Ready", status }] } });
    await agents.n2.stop("SIGKILL");
    await ready("Unknown");
    // As if its last heartbeat had been two minutes ago.
    const heartbeatTime = new Date(Date.now() - 120_000).toISOString();
    await patch(`${group}/routernodes/n2/status`, { status: { heartbeatTime } });
    await api.do({ method: "DELETE", path: `${group}/publicnetworks/short` });
    await waitFor("the object to go", async () => (await publicNetwork("short")).status === 404, { timeout: 45_000 });
    assert.match(await routes("n2", 250), /vxlan250/);
    const router = await api.do<{ status: { removed: string[] } }>({ path: `${group}/vlanrouters/default` });
    assert.ok(router.status.removed.includes(uid ?? ""), JSON.stringify(router.status));
    await ready("True");
    agents.n2.start();
    await until("n2 to be rid of it", (networks, { spec }) => !networks.has("short") && spec.networks.length === 0, [
      "n2",
    ]);
    assert.equal(await routes("n2", 250), "");
  });

  test("the agents were never refused anything", () => {
    // For a moment after its start the API server has not read the roles.
    const settled = new Date(api.startedAt + 5_000).toISOString();
    const refusals = nodes
      .flatMap((name) => agents[name].log)
      .filter((line) => / 40[13] /.test(JSON.stringify(line)) && String(line.time) > settled);
    assert.deepEqual(refusals, []);
  });

  test("the agents use every right that the components give them, and no other", async () => {
    const rules = [...(clusterRole().rules as readonly Rule[]), ...(role().rules as readonly Rule[])];
    assert.deepEqual(usedPermissions(await api.requestsOf("agent")), grantedPermissions(rules));
  });

  /** What MetalLB's speaker on a node writes when it begins to answer for the Service. */
  async function claim(node: string, name: string): Promise<void> {
    const pod = await api.do<{ metadata: { uid: string } }>({
      path: `/api/v1/namespaces/metallb-system/pods/speaker-${node}`,
    });
    const labels = {
      "metallb.io/node": node,
      "metallb.io/service-name": "echo",
      "metallb.io/service-namespace": "default",
    };
    const owner = { apiVersion: "v1", kind: "Pod", name: `speaker-${node}`, uid: pod.metadata.uid };
    await create("/apis/metallb.io/v1beta1/namespaces/metallb-system/servicel2statuses", {
      apiVersion: "metallb.io/v1beta1",
      kind: "ServiceL2Status",
      metadata: { name, labels, ownerReferences: [owner] },
      spec: {},
    });
  }
});

function isDeepEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
