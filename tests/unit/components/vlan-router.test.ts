import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { readConfiguration } from "../../../components/configuration-source.js";
import { VlanRouter } from "../../../components/index.js";
import { asWritten } from "../../../provider/network-state/argument-path.js";
import { seed } from "../../support/seed.js";
import {
  inputsOf,
  unreachableKubeconfig as kubeconfig,
  registered,
  resourcesOf,
  startPreview,
  unknownOutput,
} from "./program.js";

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
    readonly volumeMounts: readonly object[];
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
    "pulumi-nodejs:dynamic/vlan-router:NodeReports router-reports",
    "pulumi:providers:kubernetes router-cluster",
    "pulumi:providers:kubernetes router-definitions",
    "vlan-router:index:VlanRouter router",
  ]);
});

test("the component's own inputs hold no credentials", async () => {
  new VlanRouter("router", args);
  assert.deepEqual(await inputsOf("vlan-router:index:VlanRouter"), { image: "agent:1", podNetworks });
});

test("the VlanRouter object says which stack it belongs to, and what comes before it compares", async () => {
  new VlanRouter("router", { ...args, cni: "calico" });
  const owner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:VlanRouter::router";
  const settings = await inputsOf<{ readonly metadata: object; readonly spec: object }>(
    "kubernetes:vlan-router.io/v1alpha1:VlanRouter",
  );
  assert.deepEqual(settings.metadata, {
    name: "default",
    annotations: { "vlan-router.io/owner": owner, "pulumi.com/patchForce": "true" },
  });
  assert.deepEqual(settings.spec, { podNetworks, cni: "calico" });
  const reports = await inputsOf<{ readonly owner: string }>("pulumi-nodejs:dynamic/vlan-router:NodeReports");
  assert.equal(reports.owner, owner);
  const { cluster: _, ...rollout } = await inputsOf<Readonly<Record<string, unknown>>>(
    "pulumi-nodejs:dynamic/vlan-router:AgentRollout",
  );
  const { __provider: _text, ...shown } = rollout;
  assert.deepEqual(shown, { image: "agent:1", podNetworks, cni: "calico", timeoutSeconds: 600 });
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

test("F3, F4: the agents tolerate everything, are critical, need no DNS of the cluster, and get host network, few capabilities and the host's part of /proc/sys", async () => {
  new VlanRouter("router", { ...args, imagePullPolicy: "Never", imagePullSecrets: ["registry"] });
  const { metadata, spec } = await inputsOf<AgentDaemonSet>("kubernetes:apps/v1:DaemonSet");
  assert.deepEqual(metadata.annotations, { "pulumi.com/patchForce": "true", "pulumi.com/skipAwait": "true" });
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
  assert.equal(container.terminationMessagePolicy, "FallbackToLogsOnError");
  assert.deepEqual(container.securityContext, {
    runAsUser: 0,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    seccompProfile: { type: "RuntimeDefault" },
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"] },
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

test("passwords of BGP sessions are files from a Secret that may come later; the agents may not read Secrets", async () => {
  new VlanRouter("router", { ...args, bgpPasswordSecret: "fabric" });
  const { spec } = await inputsOf<AgentDaemonSet>("kubernetes:apps/v1:DaemonSet");
  const { containers, volumes } = spec.template.spec;
  assert.deepEqual(volumes.at(-1), {
    name: "bgp-passwords",
    secret: { secretName: "fabric", optional: true, defaultMode: 256 },
  });
  assert.deepEqual(containers[0]?.volumeMounts.at(-1), {
    name: "bgp-passwords",
    mountPath: "/etc/vlan-router/bgp-passwords",
    readOnly: true,
  });
  for (const type of ["ClusterRole", "Role"]) {
    const { rules } = (await inputsOf<object>(`kubernetes:rbac.authorization.k8s.io/v1:${type}`)) as {
      readonly rules: object;
    };
    assert.doesNotMatch(JSON.stringify(rules), /secrets/);
  }
});

test("without such a Secret the agents mount none", async () => {
  new VlanRouter("router", args);
  const { spec } = await inputsOf<AgentDaemonSet>("kubernetes:apps/v1:DaemonSet");
  assert.deepEqual(
    spec.template.spec.volumes.map((volume) => (volume as { readonly name: string }).name),
    ["sysctl-net", "state", "status"],
  );
});

test("F3: the namespace lets privileged pods in, without warnings or records in the audit log", async () => {
  new VlanRouter("router", args);
  const { metadata } = await inputsOf<Labelled>("kubernetes:core/v1:Namespace");
  for (const mode of ["enforce", "audit", "warn"]) {
    assert.equal(metadata.labels[`pod-security.kubernetes.io/${mode}`], "privileged");
  }
});

test("F5: definitions are awaited, and spelled as Pulumi's schema has them", async () => {
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

const fromConfig = (source: object) =>
  VlanRouter.fromConfig("router", { image: "agent:1", cluster: { kubeconfig }, ...source } as Parameters<
    typeof VlanRouter.fromConfig
  >[1]);

const configured = {
  podNetworks,
  networks: [
    {
      type: "vxlan",
      vxlan: { vni: 228, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.12"] },
      routing: { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
    },
  ],
};

test("a configuration comes from a file", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "vlan-router-configuration-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "vlan-router.yaml");
  writeFileSync(file, seed);
  assert.deepEqual(Object.keys(fromConfig({ file }).networks), ["vxlan228", "vlan220"]);
});

test("a file that cannot be read is an error with its path and the remedy, without a stack", () => {
  for (const [file, text] of [
    [
      "/nowhere/vlan-router.yaml",
      /the configuration file \/nowhere\/vlan-router\.yaml cannot be read \(ENOENT\); a relative path starts at/,
    ],
    [tmpdir(), /cannot be read \(EISDIR\); make it a file that the engine's user may read/],
  ] as const) {
    assert.throws(
      () => fromConfig({ file }),
      (error: unknown) => {
        assert.ok(pulumi.ResourceError.isInstance(error));
        assert.equal(error.hideStack, true);
        assert.match(error.message, text);
        return true;
      },
    );
  }
});

test("a configuration comes from one place", () => {
  for (const source of [{}, { yaml: seed, value: configured }, { value: undefined }]) {
    assert.throws(
      () => fromConfig(source),
      /VlanRouter "router": the configuration must come from one place; give "file"/,
    );
  }
});

test("structured stack configuration is a value", async () => {
  await startPreview({ "infra:network": JSON.stringify(configured) });
  fromConfig({ value: new pulumi.Config().requireObject("network") });
  const [network] = await resourcesOf("vlan-router:index:PublicNetwork");
  assert.deepEqual([network?.name, network?.inputs.routingTable], ["vxlan228", 228]);
});

test("a whole configuration that comes as a secret is refused: what names networks must be known at preview", async () => {
  await startPreview({ "infra:network": JSON.stringify(configured) });
  assert.throws(
    () => fromConfig({ value: new pulumi.Config().requireSecretObject("network") }),
    /VlanRouter "router" has 1 mistake:\n {2}configuration: comes as an Output, and a preview must know it because resources are named and numbered by it; write it plain; of stack configuration take it by requireObject, not by requireSecretObject/,
  );
});

test("Outputs that name something are refused, each by its path", () => {
  const [network] = configured.networks;
  const value = {
    podNetworks: [pulumi.output("10.244.0.0/16")],
    cni: pulumi.output("calico"),
    networks: [
      { ...network, vxlan: { ...network?.vxlan, vni: pulumi.output(228) } },
      { ...network, name: pulumi.secret("gold") },
      pulumi.output(network),
    ],
  };
  assert.throws(
    () => fromConfig({ value }),
    (error: unknown) => {
      assert.ok(pulumi.ResourceError.isInstance(error));
      const paths = error.message.split("\n").flatMap((line) => /^ {2}(\S+): comes as an Output/.exec(line)?.[1] ?? []);
      assert.deepEqual(paths, ["cni", "podNetworks[0]", "networks[0].vxlan.vni", "networks[1].name", "networks[2]"]);
      return true;
    },
  );
  assert.deepEqual(registered, []);
});

test("the rest of a configuration may be Outputs, and what is known of it is shown", async () => {
  const [network] = configured.networks;
  const routing = { ...network?.routing, gateway: unknownOutput<string>() };
  fromConfig({ value: { podNetworks, networks: [{ ...network, routing }] } });
  const component = await inputsOf<Readonly<Record<string, unknown>>>("vlan-router:index:PublicNetwork");
  assert.deepEqual([component.routingTable, component.cidr], [228, "203.0.113.0/24"]);
});

test("pools are made of all networks of a configuration, or of those that are named", async () => {
  fromConfig({ yaml: seed, addressPools: { vlan220: { autoAssign: false } }, metallbNamespace: "lb" });
  const pools = await resourcesOf("kubernetes:metallb.io/v1beta1:IPAddressPool");
  assert.deepEqual(
    pools.map(({ name, inputs }) => [name, (inputs.metadata as { readonly namespace: string }).namespace]),
    [["vlan220-pool", "lb"]],
  );
  await startPreview();
  fromConfig({ yaml: seed, addressPools: true });
  assert.equal((await resourcesOf("kubernetes:metallb.io/v1beta1:IPAddressPool")).length, 2);
  assert.throws(
    () => fromConfig({ yaml: seed, addressPools: { gold: true } }),
    /VlanRouter "router" has 1 mistake:\n {2}addressPools\.gold: is not the name of a network of the configuration;/,
  );
});

test("F5: the definitions come before everything that needs them, and nothing of MetalLB's unless it is asked for", async () => {
  fromConfig({ yaml: seed });
  await resourcesOf("");
  const places = (part: string) => registered.flatMap(({ type }, index) => (type.includes(part) ? [index] : []));
  const last = Math.max(...places("CustomResourceDefinition"));
  for (const part of [":VlanRouter", ":DaemonSet", ":AgentRollout", ":NetworkState"]) {
    const custom = places(part).filter((index) => registered[index]?.custom);
    assert.ok(custom.length > 0 && custom.every((index) => index > last), part);
  }
  assert.deepEqual(places("metallb"), []);
});

test("F6: there is no ConfigMap that an edit would replace, and no kind of object that Pulumi waits for on dead nodes", async () => {
  fromConfig({ yaml: seed });
  assert.deepEqual(await resourcesOf("kubernetes:core/v1:ConfigMap"), []);
  const { metadata } = await inputsOf<AgentDaemonSet>("kubernetes:apps/v1:DaemonSet");
  assert.partialDeepStrictEqual(metadata.annotations, { "pulumi.com/skipAwait": "true" });
});

/** Every resource that a configuration makes, with its inputs; the order of keys does not count. */
async function madeOf(yaml: string): Promise<ReadonlyMap<string, object>> {
  await pulumi.runtime.disconnect();
  await startPreview();
  fromConfig({ yaml });
  await resourcesOf("");
  return new Map(registered.map(({ type, name, inputs }) => [`${type} ${name}`, inputs]));
}

test("F1: comments and the order of keys change nothing; another gateway changes the network alone, not the agents", async () => {
  const before = await madeOf(seed);
  const [networks, ...others] = seed.split(/^(?=\w)/m).reverse();
  const reordered = ["# another order", networks, ...others].join("\n# a comment\n");
  assert.notEqual(reordered, seed);
  assert.deepEqual(await madeOf(reordered), before);
  const after = await madeOf(seed.replace("gateway: 203.0.113.1", "gateway: 203.0.113.2"));
  const changed = [...after].flatMap(([name, inputs]) => (isDeepStrictEqual(inputs, before.get(name)) ? [] : [name]));
  assert.deepEqual(changed.sort(), [
    "pulumi-nodejs:dynamic/vlan-router:NetworkState vxlan228-state",
    "vlan-router:index:PublicNetwork vxlan228",
  ]);
});

test("the networks of a file stay as the file has them, so that what the provider finds wrong is named by its places", () => {
  const file = (routing: string) =>
    `podNetworks: [10.244.0.0/16]\nnetworks:\n  - { type: vlan, vlan: { parent: bond0, id: 220 }, routing: ${routing} }\n`;
  const subnet = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
  for (const [written, place] of [
    [subnet, "routing.cidr"],
    [[subnet], "routing[0].cidr"],
  ] as const) {
    const { networks } = readConfiguration("c", { yaml: file(JSON.stringify(written)) });
    assert.deepEqual(networks, [{ type: "vlan", vlan: { parent: "bond0", id: 220 }, routing: written }]);
    const mistake = { code: "TableClash", path: "routing[0].cidr", value: undefined, message: "", remedy: "" } as const;
    assert.equal(asWritten(mistake, networks[0]).path, place);
  }
});
