/** Which resources an update of each argument touches, as docs/reference/pulumi.md tells it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { PublicNetwork, VlanRouter, type VlanRouterArgs } from "../../../components/index.js";
import { podNetworks } from "../../support/network-fixtures.js";
import { type Registered, registered, resourcesOf, startPreview, unreachableKubeconfig } from "./program.js";

const kubeconfig = (user: string) => unreachableKubeconfig.replaceAll('"admin"', JSON.stringify(user));
const router: VlanRouterArgs = { image: "agent:1", podNetworks, cluster: { kubeconfig: kubeconfig("old") } };
const network = {
  type: "vlan",
  vlan: { parent: "bond0", id: 220 },
  routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
  addressPool: true,
} as const;

/** By `TYPE NAME`, the type without its package. */
async function registeredBy(args: VlanRouterArgs, networkArgs: object): Promise<ReadonlyMap<string, Registered>> {
  await startPreview();
  new PublicNetwork("tenants", { ...network, ...networkArgs, router: new VlanRouter("router", args) });
  await resourcesOf("");
  const found = new Map(
    registered.map((resource) => [`${resource.type.split(":").at(-1)} ${resource.name}`, resource]),
  );
  await pulumi.runtime.disconnect();
  return found;
}

/** Resources whose inputs differ: those that an update touches. */
async function touched(changes: Partial<VlanRouterArgs>, networkChanges: object = {}): Promise<readonly string[]> {
  const [before, after] = [
    await registeredBy(router, {}),
    await registeredBy({ ...router, ...changes }, networkChanges),
  ];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const inputs = (of: ReadonlyMap<string, Registered>, name: string) => JSON.stringify(of.get(name)?.inputs);
  return names.filter((name) => inputs(before, name) !== inputs(after, name)).sort();
}

const agents = "DaemonSet router-agent";
const rollout = "AgentRollout router-rollout";
const networkState = "NetworkState tenants-state";
const pool = "IPAddressPool tenants-pool";
const advertisement = "L2Advertisement tenants-advertisement";
const shared = [rollout, networkState, "PublicNetwork tenants", "VlanRouter router", "VlanRouter router-settings"];
const connected = [
  rollout,
  networkState,
  "NodeReports router-reports",
  "kubernetes router-cluster",
  "kubernetes router-definitions",
];

type RouterRow = readonly [argument: string, changes: Partial<VlanRouterArgs>, touched: readonly string[]];

const ofRouter: readonly RouterRow[] = [
  ["image", { image: "agent:2" }, [rollout, agents, "VlanRouter router"]],
  ["imagePullPolicy", { imagePullPolicy: "Always" }, [agents]],
  ["imagePullSecrets", { imagePullSecrets: ["registry"] }, [agents]],
  ["bgpPasswordSecret", { bgpPasswordSecret: "fabric" }, [agents]],
  ["metallbNamespace", { metallbNamespace: "lb" }, [agents, pool, advertisement, networkState]],
  ["podNetworks", { podNetworks: ["10.244.0.0/16"] }, shared],
  ["cni", { cni: "cilium" }, shared],
  ["cluster.kubeconfig", { cluster: { kubeconfig: kubeconfig("rotated") } }, connected],
  ["cluster.context", { cluster: { kubeconfig: kubeconfig("old"), context: "prod" } }, connected],
  ["retainDefinitions", { retainDefinitions: false }, []],
  ["timeoutSeconds", { timeoutSeconds: 900 }, [rollout]],
  ["nodes.tolerateUnreachable", { nodes: { tolerateUnreachable: 1 } }, [rollout]],
];

for (const [argument, changes, expected] of ofRouter) {
  test(`${argument} of a router: ${expected.join(", ") || "nothing"}`, async () => {
    assert.deepEqual(await touched(changes), expected);
  });
}

const ofNetwork: readonly (readonly [argument: string, changes: object, touched: readonly string[]])[] = [
  ["timeoutSeconds", { timeoutSeconds: 900 }, [networkState]],
  ["nodes.tolerateUnreachable", { nodes: { tolerateUnreachable: 1 } }, [networkState]],
  ["adopt", { adopt: true }, [networkState]],
  ["addressPool", { addressPool: false }, [pool, advertisement, networkState]],
  ["addressPool.autoAssign", { addressPool: { autoAssign: false } }, [pool]],
  ["addressPool.addresses", { addressPool: { addresses: ["198.51.100.16/28"] } }, [pool, networkState]],
  ["nodeSelector", { nodeSelector: { rack: "a" } }, [advertisement, networkState]],
  [
    "routing.gateway",
    { routing: { ...network.routing, gateway: "198.51.100.254" } },
    [pool, networkState, "PublicNetwork tenants"],
  ],
];

for (const [argument, changes, expected] of ofNetwork) {
  test(`${argument} of a network: ${expected.join(", ")}`, async () => {
    assert.deepEqual(await touched({}, changes), expected);
  });
}
