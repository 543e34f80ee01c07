import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { PublicNetwork, VlanRouter } from "../../../components/index.js";
import { seed } from "../../support/seed.js";
import { registered, resourcesOf, startPreview, unknownOutput, unreachableKubeconfig } from "./program.js";

const cluster = { kubeconfig: unreachableKubeconfig };
const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];
const routerArgs = { image: "agent:1", podNetworks, cluster };
const configArgs = { image: "agent:1", yaml: seed, cluster };
const networkArgs = {
  type: "vlan",
  vlan: { parent: "bond0", id: 220 },
  routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
  cluster,
};

/** As a program without types makes them. */
const makers = {
  router: (args?: unknown) => new VlanRouter("x", args as ConstructorParameters<typeof VlanRouter>[1]),
  fromConfig: (args?: unknown) => VlanRouter.fromConfig("x", args as Parameters<typeof VlanRouter.fromConfig>[1]),
  network: (args?: unknown) => new PublicNetwork("x", args as ConstructorParameters<typeof PublicNetwork>[1]),
};

const router = (args: object) => () => makers.router({ ...routerArgs, ...args });
const config = (args: object) => () => makers.fromConfig({ ...configArgs, ...args });
const network = (args: object) => () => makers.network({ ...networkArgs, ...args });

const refused: readonly (readonly [name: string, make: () => unknown, lines: readonly string[]])[] = [
  ["no arguments of a network", () => makers.network(), ["args: is missing; write { … } behind the name"]],
  ["no arguments of a router", () => makers.router(), ["args: is missing; write { … } behind the name"]],
  ["no arguments of fromConfig", () => makers.fromConfig(), ["args: is missing; write { … } behind the name"]],
  [
    "a missing image",
    router({ image: undefined }),
    ["image: is missing; write the agent's image, such as registry.example.com/vlan-router-agent:0.1.0"],
  ],
  [
    "an empty image",
    router({ image: "" }),
    [
      `image: "" is not the reference of an image; write the agent's image, such as registry.example.com/vlan-router-agent:0.1.0`,
    ],
  ],
  [
    "an image with a space",
    router({ image: "a b" }),
    [
      "image: a b is not the reference of an image; write the agent's image, such as registry.example.com/vlan-router-agent:0.1.0",
    ],
  ],
  [
    "a pull policy in lower case",
    router({ imagePullPolicy: "always" }),
    ["imagePullPolicy: always is not a pull policy of Kubernetes; write Always, IfNotPresent or Never"],
  ],
  [
    "an unknown key",
    router({ imagePullSecret: "regcred" }),
    ["imagePullSecret: is not a known key; did you mean imagePullSecrets?"],
  ],
  [
    "an unknown key of fromConfig",
    config({ timeoutSecond: 5 }),
    ["timeoutSecond: is not a known key; did you mean timeoutSeconds?"],
  ],
  [
    "pull secrets that are no list",
    router({ imagePullSecrets: "regcred" }),
    ["imagePullSecrets: regcred is not a list; write it in brackets, also a single one"],
  ],
  [
    "a pull secret without a name",
    router({ imagePullSecrets: ["regcred", ""] }),
    [
      'imagePullSecrets[1]: "" is not the name of an object in Kubernetes; write at most 253 lower-case letters, digits, inner hyphens and dots',
    ],
  ],
  [
    "an unknown key of nodes",
    router({ nodes: { tolerateUnreachble: true } }),
    ["nodes.tolerateUnreachble: is not a known key; did you mean tolerateUnreachable?"],
  ],
  [
    "a tolerance in words",
    network({ nodes: { tolerateUnreachable: "all" } }),
    [
      "nodes.tolerateUnreachable: all is no number of nodes; write a whole number from 0 on, true for any number of nodes, or false for none",
    ],
  ],
  ["nodes that are no object", network({ nodes: true }), ["nodes: true is not an object; write { … }"]],
  [
    "retainDefinitions as text",
    router({ retainDefinitions: "no" }),
    ["retainDefinitions: no is neither true nor false; write true or false, without quotes"],
  ],
  [
    "a time of 0",
    router({ timeoutSeconds: 0 }),
    ["timeoutSeconds: 0 is not a time in seconds; write a number above 0, without quotes"],
  ],
  [
    "a time below 0",
    network({ timeoutSeconds: -1 }),
    ["timeoutSeconds: -1 is not a time in seconds; write a number above 0, without quotes"],
  ],
  [
    "a time as text",
    router({ timeoutSeconds: "600" }),
    ['timeoutSeconds: "600" is not a time in seconds; write a number above 0, without quotes'],
  ],
  [
    "a time that is no number",
    network({ timeoutSeconds: Number.NaN }),
    ["timeoutSeconds: .nan is not a time in seconds; write a number above 0, without quotes"],
  ],
  [
    "the networks' time of 0",
    config({ networkTimeoutSeconds: 0 }),
    ["networkTimeoutSeconds: 0 is not a time in seconds; write a number above 0, without quotes"],
  ],
  [
    "an empty kubeconfig",
    router({ cluster: { kubeconfig: "" } }),
    [
      "cluster.kubeconfig: is empty or not text; write the content of a kubeconfig file or its path, or leave the key out to use KUBECONFIG",
    ],
  ],
  [
    "a kubeconfig that is no text, whose credentials are not shown",
    network({ cluster: { kubeconfig: { token: "s3cret" } } }),
    [
      "cluster.kubeconfig: is empty or not text; write the content of a kubeconfig file or its path, or leave the key out to use KUBECONFIG",
    ],
  ],
  [
    "a context that is empty",
    router({ cluster: { ...cluster, context: "" } }),
    [
      'cluster.context: "" is not the name of a context; write a context of the kubeconfig, or leave the key out to use its current one',
    ],
  ],
  [
    "a cluster that is text",
    router({ cluster: "prod" }),
    ["cluster: is not an object; write { kubeconfig: … }, with its content or its path"],
  ],
  [
    "a pool as text",
    network({ addressPool: "yes" }),
    ["addressPool: yes is not an address pool; write true, false, or what differs from the defaults as { … }"],
  ],
  [
    "an unknown key of a pool",
    network({ addressPool: { adresses: ["198.51.100.16/28"] } }),
    ["addressPool.adresses: is not a known key; did you mean addresses?"],
  ],
  [
    "addresses of a pool that are no list",
    network({ addressPool: { addresses: "198.51.100.16/28" } }),
    ["addressPool.addresses: 198.51.100.16/28 is not a list; write it in brackets, also a single one"],
  ],
  [
    "pools as text",
    config({ addressPools: "all" }),
    [
      "addressPools: all says nothing of the networks' pools; write true for all networks, false for none, or { NETWORK: true }",
    ],
  ],
  [
    "an unknown key of one of the pools",
    config({ addressPools: { vlan220: { adresses: [] } } }),
    ["addressPools.vlan220.adresses: is not a known key; did you mean addresses?"],
  ],
  [
    "podNetworks beside the configuration",
    config({ podNetworks }),
    [
      'podNetworks: ["10.244.0.0/16","10.96.0.0/16"] stands beside the configuration, which says it; remove it here and write it in the configuration',
    ],
  ],
  [
    "a forgotten .router",
    () => makers.network({ ...networkArgs, router: config({})() }),
    ["router: is not a VlanRouter; give the component itself; of what VlanRouter.fromConfig returns, that is .router"],
  ],
  [
    "pod networks as an Output",
    router({ podNetworks: pulumi.output(podNetworks) }),
    ["podNetworks: comes as an Output, and the program itself must know it; write them plain, such as [10.244.0.0/16]"],
  ],
  [
    "one pod network and the CNI as Outputs",
    router({ podNetworks: [pulumi.output("10.244.0.0/16"), "10.96.0.0/16"], cni: pulumi.output("cilium") }),
    [
      "podNetworks[0]: comes as an Output, and the program itself must know it; write them plain, such as [10.244.0.0/16]",
      "cni: comes as an Output, and the program itself must know it; write it plain, such as cilium",
    ],
  ],
  [
    "a function where data should stand",
    router({ podNetworks: () => podNetworks }),
    [
      "podNetworks: (no data) is a text, not a list; write a list of prefixes such as [10.244.0.0/16, 10.96.0.0/16], or [] where there are no pods",
    ],
  ],
  [
    "a function where text should stand",
    network({ routing: { cidr: () => "198.51.100.0/24", gateway: "198.51.100.1" } }),
    ["routing.cidr: (no data) is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64"],
  ],
  [
    "a router as an Output",
    network({ router: pulumi.output({}) }),
    [
      "router: comes as an Output, and the program itself must know it; give the component itself; of what VlanRouter.fromConfig returns, that is .router",
    ],
  ],
  [
    "retainDefinitions as an Output",
    router({ retainDefinitions: pulumi.output(true) }),
    ["retainDefinitions: comes as an Output, and the program itself must know it; write true or false, without quotes"],
  ],
  [
    "a pool as an Output",
    network({ addressPool: pulumi.output(true) }),
    [
      "addressPool: comes as an Output, and the program itself must know it; write true, false, or what differs from the defaults as { … }",
    ],
  ],
  [
    "the name of a pool as an Output",
    network({ addressPool: { name: pulumi.output("gold") } }),
    [
      "addressPool.name: comes as an Output, and the program itself must know it; write at most 253 lower-case letters, digits, inner hyphens and dots",
    ],
  ],
  [
    "one of the pools as an Output",
    config({ addressPools: { vlan220: pulumi.output(true) } }),
    [
      "addressPools.vlan220: comes as an Output, and the program itself must know it; write true, false, or what differs from the defaults as { … }",
    ],
  ],
  [
    "YAML that is an object",
    config({ yaml: { podNetworks: [] } }),
    ["yaml: is not text; give the text of the configuration file; its content as an object is a value"],
  ],
  [
    "a file that is a number",
    config({ yaml: undefined, file: 5 }),
    [
      'file: 5 is not the path of a file; write it as text, such as path.join(__dirname, "vlan-router.yaml"); that of a URL is fileURLToPath(url)',
    ],
  ],
  [
    "a file that is a URL",
    config({ yaml: undefined, file: new URL("file:///etc/vlan-router.yaml") }),
    [
      'file: "file:///etc/vlan-router.yaml" is not the path of a file; write it as text, such as path.join(__dirname, "vlan-router.yaml"); that of a URL is fileURLToPath(url)',
    ],
  ],
  [
    "a file that is an Output",
    config({ yaml: undefined, file: pulumi.output("vlan-router.yaml") }),
    [
      'file: comes as an Output, and the program itself must know it; write it as text, such as path.join(__dirname, "vlan-router.yaml"); that of a URL is fileURLToPath(url)',
    ],
  ],
  [
    "a misspelt option of a network",
    network({ tiemoutSeconds: 4 }),
    ["tiemoutSeconds: is not a known key; did you mean timeoutSeconds?"],
  ],
  [
    "a misspelt key of the network itself",
    network({ nodeselector: {} }),
    ["nodeselector: is not a known key; did you mean nodeSelector?"],
  ],
  [
    "a key that is like none, whose value may be a secret",
    network({ credentials: "s3cret" }),
    [
      "credentials: is not a known key; remove it; what may stand here: addressPool, adopt, cluster, name, nodeSelector, nodes, router, routing, segmentFilter, timeoutSeconds, type, vlan",
    ],
  ],
  [
    "pools of networks that the configuration does not have",
    config({ addressPools: { vlan22: true, gold: true } }),
    [
      "addressPools.vlan22: is not the name of a network of the configuration; did you mean vlan220?",
      "addressPools.gold: is not the name of a network of the configuration; remove it, or write one of its networks: vxlan228, vlan220",
    ],
  ],
  [
    "pools of an empty configuration",
    config({ yaml: "podNetworks: [10.244.0.0/16]\nnetworks: []\n", addressPools: { gold: true } }),
    [
      "addressPools.gold: is not the name of a network of the configuration; the configuration has no network: remove the pool, or declare its network",
    ],
  ],
  [
    "a pool whose names Kubernetes does not take",
    network({ addressPool: { name: "Bad_Name", namespace: "metallb.system" } }),
    [
      "addressPool.name: Bad_Name is not the name of an object in Kubernetes; write at most 253 lower-case letters, digits, inner hyphens and dots",
      "addressPool.namespace: metallb.system is not the name of a namespace in Kubernetes; write at most 63 lower-case letters, digits and inner hyphens",
    ],
  ],
  [
    "several mistakes, those of the network among them",
    network({ timeoutSeconds: 0, vlan: { parent: "bond0", id: 5000 } }),
    [
      "timeoutSeconds: 0 is not a time in seconds; write a number above 0, without quotes",
      "vlan.id: 5000 is out of range; write a whole number from 1 to 4094",
    ],
  ],
  [
    "mistakes beside wrong podNetworks",
    router({ image: "", podNetworks: ["10.244.0.1/16"] }),
    [
      `image: "" is not the reference of an image; write the agent's image, such as registry.example.com/vlan-router-agent:0.1.0`,
      "podNetworks[0]: 10.244.0.1/16 has host bits; did you mean 10.244.0.0/16?",
    ],
  ],
];

beforeEach(() => startPreview());
afterEach(() => pulumi.runtime.disconnect());

for (const [name, make, lines] of refused) {
  test(`${name} is a mistake with path, value, reason and remedy, and nothing is registered`, () => {
    assert.deepEqual(mistakesOf(make), lines);
    assert.deepEqual(registered, []);
  });
}

function mistakesOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    assert.ok(pulumi.ResourceError.isInstance(error), String(error));
    assert.equal(error.hideStack, true);
    const [title, ...lines] = error.message.split("\n");
    assert.match(title ?? "", /^(VlanRouter|PublicNetwork) "x" has \d+ mistakes?:$/);
    return lines.map((line) => line.trim());
  }
  return [];
}

test("what only deployment knows is left to the provider", async () => {
  const later = unknownOutput<string>();
  const late = {
    image: later,
    imagePullPolicy: later,
    imagePullSecrets: [later],
    metallbNamespace: later,
    bgpPasswordSecret: later,
    cluster: { kubeconfig: later, context: later },
  };
  makers.router({ podNetworks, ...late });
  const addressPool = { namespace: later, addresses: [later], autoAssign: unknownOutput<boolean>() };
  network({ cluster: late.cluster, addressPool })();
  assert.equal((await resourcesOf("kubernetes:apps/v1:DaemonSet")).length, 1);
  assert.equal((await resourcesOf("pulumi-nodejs:dynamic/vlan-router:NetworkState")).length, 1);
});

test("what the examples and the reference give is accepted, an option that is not configured too", async () => {
  config({
    imagePullPolicy: new pulumi.Config().get("imagePullPolicy"),
    cluster: { kubeconfig: pulumi.secret(cluster.kubeconfig), context: undefined },
    imagePullSecrets: ["regcred"],
    bgpPasswordSecret: "bgp-passwords",
    metallbNamespace: "lb",
    retainDefinitions: false,
    timeoutSeconds: 900,
    networkTimeoutSeconds: 60,
    nodes: { tolerateUnreachable: 0 },
    addressPools: { vlan220: { name: "gold", addresses: ["198.51.100.16/28"], autoAssign: false }, vxlan228: true },
  })();
  const states = await resourcesOf("pulumi-nodejs:dynamic/vlan-router:NetworkState");
  assert.deepEqual(
    states.map(({ inputs }) => inputs.timeoutSeconds),
    [60, 60],
  );
});
