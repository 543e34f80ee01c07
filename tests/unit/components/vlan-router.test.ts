import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { VlanRouter } from "../../../components/index.js";
import { seed } from "../../support/seed.js";
import { inputsOf, registered, resourcesOf, startPreview } from "./program.js";

const kubeconfig = '{"apiVersion":"v1","kind":"Config","clusters":[]}';
const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];
const args = { image: "agent:1", podNetworks, cluster: { kubeconfig } };

interface Labelled {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
}

interface AgentDaemonSet {
  readonly metadata: { readonly annotations: object };
  readonly spec: { readonly updateStrategy: object; readonly template: { readonly spec: AgentPod } };
}

interface AgentPod extends Readonly<Record<string, unknown>> {
  readonly containers: readonly (Readonly<Record<string, unknown>> & {
    readonly env: readonly { readonly name: string }[];
  })[];
  readonly volumes: readonly object[];
}

beforeEach(() => startPreview());
afterEach(() => pulumi.runtime.disconnect());

test("the names and types of the children are public: renaming one replaces it in every stack", async () => {
  new VlanRouter("router", args);
  await resourcesOf("");
  assert.deepEqual(registered.map(({ type, name }) => `${type} ${name}`).sort(), [
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition router-publicnetworks.vlan-router.io",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition router-routernodes.vlan-router.io",
    "kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition router-vlanrouters.vlan-router.io",
    "kubernetes:apps/v1:DaemonSet router-agent",
    "kubernetes:core/v1:Namespace router-namespace",
    "kubernetes:core/v1:ServiceAccount router-agent",
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole router-agent",
    "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding router-agent",
    "kubernetes:rbac.authorization.k8s.io/v1:Role router-agent",
    "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding router-agent",
    "kubernetes:vlan-router.io/v1alpha1:VlanRouter router-settings",
    "pulumi-nodejs:dynamic/vlan-router:AgentRollout router-rollout",
    "pulumi:providers:kubernetes router-cluster",
    "pulumi:providers:kubernetes router-definitions",
    "vlan-router:index:VlanRouter router",
  ]);
});

test("the component's own inputs hold no credentials", async () => {
  new VlanRouter("router", args);
  assert.deepEqual(await inputsOf("vlan-router:index:VlanRouter"), { image: "agent:1", podNetworks });
});

test("the VlanRouter object says which stack it belongs to, and the roll-out compares", async () => {
  new VlanRouter("router", { ...args, cni: "calico" });
  const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router";
  const settings = await inputsOf<{ readonly metadata: object; readonly spec: object }>(
    "kubernetes:vlan-router.io/v1alpha1:VlanRouter",
  );
  assert.deepEqual(settings.metadata, { name: "default", annotations: { "vlan-router.io/owner": owner } });
  assert.deepEqual(settings.spec, { podNetworks, cni: "calico" });
  const { cluster: _, ...rollout } = await inputsOf<Readonly<Record<string, unknown>>>(
    "pulumi-nodejs:dynamic/vlan-router:AgentRollout",
  );
  const { __provider: _text, ...shown } = rollout;
  assert.deepEqual(shown, { image: "agent:1", owner, podNetworks, cni: "calico", timeoutSeconds: 600 });
});

test("a Kubernetes provider that is given is used for every object", async () => {
  const given = new kubernetes.Provider("given", { kubeconfig });
  new VlanRouter("router", args, { provider: given });
  const providers = await resourcesOf("pulumi:providers:kubernetes");
  assert.deepEqual(
    providers.map(({ name }) => name),
    ["given"],
  );
});

test("the agents get host network, few capabilities and the host's part of /proc/sys", async () => {
  new VlanRouter("router", { ...args, imagePullPolicy: "Never", imagePullSecrets: ["registry"] });
  const { metadata, spec } = await inputsOf<AgentDaemonSet>("kubernetes:apps/v1:DaemonSet");
  assert.deepEqual(metadata.annotations, { "pulumi.com/skipAwait": "true" });
  assert.deepEqual(spec.updateStrategy, { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
  const { containers, volumes, ...pod } = spec.template.spec;
  assert.deepEqual(pod, {
    serviceAccountName: "agent",
    hostNetwork: true,
    dnsPolicy: "ClusterFirstWithHostNet",
    priorityClassName: "system-node-critical",
    tolerations: [{ operator: "Exists" }],
    nodeSelector: { "kubernetes.io/os": "linux" },
    terminationGracePeriodSeconds: 5,
    imagePullSecrets: [{ name: "registry" }],
  });
  const [container] = containers;
  assert.ok(container);
  assert.equal(container.imagePullPolicy, "Never");
  assert.deepEqual(container.securityContext, {
    runAsUser: 0,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] },
  });
  assert.deepEqual(
    container.env.find(({ name }) => name === "AGENT_IMAGE"),
    {
      name: "AGENT_IMAGE",
      value: "agent:1",
    },
  );
  assert.deepEqual(volumes[0], {
    name: "sysctl-net",
    hostPath: { path: "/proc/sys/net", type: "Directory" },
  });
});

test("the namespace lets privileged pods in", async () => {
  new VlanRouter("router", args);
  const { metadata } = await inputsOf<Labelled>("kubernetes:core/v1:Namespace");
  assert.equal(metadata.labels["pod-security.kubernetes.io/enforce"], "privileged");
});

test("definitions are awaited, and spelled as Pulumi's schema has them", async () => {
  new VlanRouter("router", args);
  const definitions = await resourcesOf("kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition");
  assert.equal(definitions.length, 3);
  for (const { inputs } of definitions) {
    const { metadata } = inputs as { readonly metadata: { readonly annotations: object } };
    assert.deepEqual(metadata.annotations, { "pulumi.com/waitFor": "condition=Established" });
    assert.doesNotMatch(JSON.stringify(inputs), /x-kubernetes-/);
  }
  assert.match(JSON.stringify(definitions), /"x_kubernetes_validations"/);
});

test("no cluster, no deployment: what kubectl would take is never used silently", () => {
  assert.throws(
    () => new VlanRouter("router", { image: "agent:1", podNetworks }),
    /VlanRouter "router": no cluster is named/,
  );
});

test("stack configuration may name the cluster", async () => {
  await startPreview({ "vlan-router:kubeconfig": kubeconfig, "vlan-router:context": "prod" });
  new VlanRouter("router", { image: "agent:1", podNetworks });
  const { cluster } = await inputsOf<{ readonly cluster: object }>("pulumi-nodejs:dynamic/vlan-router:AgentRollout");
  assert.match(JSON.stringify(cluster), /"context":"prod"/);
});

test("podNetworks are checked", () => {
  assert.throws(
    () => new VlanRouter("router", { ...args, podNetworks: ["10.244.0.1/16"] }),
    /VlanRouter "router" has 1 mistake:\n {2}podNetworks\[0\]: 10\.244\.0\.1\/16 has host bits; did you mean 10\.244\.0\.0\/16\?/,
  );
});

test("a whole configuration makes the router and its networks", async () => {
  const { networks } = VlanRouter.fromConfig("router", { yaml: seed, image: "agent:1", cluster: { kubeconfig } });
  assert.deepEqual(Object.keys(networks), ["vxlan228", "vlan220"]);
  const components = await resourcesOf("vlan-router:index:PublicNetwork");
  assert.deepEqual(components.map(({ name, inputs }) => `${name} ${inputs.routingTable}`).sort(), [
    "vlan220 220",
    "vxlan228 228",
  ]);
});

test("a mistake in a configuration names its line, and nothing is made of the rest", () => {
  const wrong = seed.replace("vni: 228", "vni: 254");
  assert.throws(
    () => VlanRouter.fromConfig("router", { yaml: wrong, image: "agent:1", cluster: { kubeconfig } }),
    /VlanRouter "router" has 1 mistake:\n {2}networks\[0\]\.vxlan\.vni: 254 is the kernel's main routing table; .*\(line 5, column 12\)/,
  );
  assert.deepEqual(registered, []);
});
