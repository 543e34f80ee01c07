import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import * as pulumi from "@pulumi/pulumi";
import { PublicNetwork, type PublicNetworkArgs, VlanRouter } from "../../../components/index.js";
import {
  inputsOf,
  isKnown,
  knownValue,
  registered,
  resourcesOf,
  startPreview,
  unknownOutput,
  unreachableKubeconfig,
} from "./program.js";

const cluster = { kubeconfig: unreachableKubeconfig };
const podNetworks = ["10.244.0.0/16", "10.96.0.0/16"];
const vxlan = {
  vni: 228,
  nodeNet: "10.0.7.0/24",
  bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"] },
};
const routing = { cidr: "203.0.113.0/24", gateway: "203.0.113.1", arpAnnouncer: true };

/** How the engine's protocol marks a secret (sdk/nodejs/runtime/rpc.ts). */
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** Inputs as the engine gets them. */
type Shown = Readonly<Record<string, unknown>> & { readonly commands: readonly string[] };

const newRouter = () => new VlanRouter("router", { image: "agent:1", podNetworks, cluster });

beforeEach(() => startPreview());
afterEach(() => pulumi.runtime.disconnect());

test("preview shows numbers and commands on the component, and knows the outputs before anything exists", async () => {
  const network = new PublicNetwork("customers", { type: "vxlan", vxlan, routing, router: newRouter() });
  const component = await inputsOf<Shown>("vlan-router:index:PublicNetwork");
  const { commands, ...shown } = component;
  assert.deepEqual(shown, {
    name: "vxlan228",
    cidr: "203.0.113.0/24",
    gateway: "203.0.113.1",
    capacity: 253,
    routingTable: 228,
    interfaceName: "vxlan228",
    gobgpPort: 20228,
    rulePriorities: {
      "203.0.113.0/24": { exception: 3000, mark: 3900, markGuard: 3901, source: 4016, sourceGuard: 4017 },
    },
    routeTarget: "65001:228",
  });
  assert.ok(Array.isArray(commands));
  assert.ok(commands.includes("ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228"));
  assert.ok(
    commands.includes("ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main"),
  );
  assert.equal(await knownValue(network.routingTable), 228);
  assert.equal(await knownValue(network.gobgpPort), 20228);
  assert.equal(await knownValue(network.cidr), "203.0.113.0/24");
  assert.equal(await knownValue(network.capacity), 253);
});

test("what a network does not have is known to be undefined, in a preview too", async () => {
  const tenants = new PublicNetwork("tenants", {
    type: "vlan",
    vlan: { parent: "bond0", id: 220 },
    routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
    cluster,
  });
  const remotes = new PublicNetwork("remotes", {
    type: "vxlan",
    vxlan: { vni: 229, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.12"] },
    routing: { cidr: "192.0.2.0/24", gateway: "192.0.2.1" },
    cluster,
  });
  for (const { gobgpPort, routeTarget, addressPool } of [tenants, remotes]) {
    for (const output of [gobgpPort, routeTarget, addressPool]) {
      assert.deepEqual([await isKnown(output), await knownValue<unknown>(output)], [true, undefined]);
    }
  }
});

test("where only deployment knows how a network speaks BGP, its port and target are not known before", async () => {
  const customers = new PublicNetwork("customers", {
    type: "vxlan",
    vxlan: { ...vxlan, bgp: unknownOutput<(typeof vxlan)["bgp"]>() } as unknown as typeof vxlan,
    routing,
    cluster,
  });
  assert.deepEqual([await isKnown(customers.routeTarget), await isKnown(customers.addressPool)], [false, true]);
});

test("the capacity of an IPv6 prefix is a number, rounded where it is above 2^53", async () => {
  const network = new PublicNetwork("customers", {
    type: "vxlan",
    vxlan,
    routing: { cidr: "2001:678:d00::/64", gateway: "2001:678:d00::1" },
    cluster,
  });
  // 2^64, as JavaScript and Pulumi's protocol (google.protobuf.Value) hold it.
  assert.equal(await knownValue(network.capacity), 18_446_744_073_709_552_000);
});

test("the state resource carries owner, pod networks and the credentials as a secret", async () => {
  new PublicNetwork("customers", { type: "vxlan", vxlan, routing, router: newRouter() });
  const state = await inputsOf<Shown>("pulumi-nodejs:dynamic/vlan-router:NetworkState");
  assert.equal(state.owner, "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::customers");
  assert.deepEqual(state.podNetworks, podNetworks);
  assert.equal(state.timeoutSeconds, 120);
  assert.deepEqual(state.cluster, { ...secret, value: cluster });
});

test("all mistakes of a network are one error with path, value, reason and remedy, and nothing is registered", async () => {
  const args = {
    type: "vxlan",
    vxlan: { ...vxlan, vni: 254, peers: [] },
    routing: { cidr: "203.0.113.7/24", gateway: "192.0.2.1" },
    cluster,
  } as unknown as PublicNetworkArgs;
  assert.throws(
    () => new PublicNetwork("customers", args),
    (error: unknown) => {
      assert.ok(pulumi.ResourceError.isInstance(error));
      assert.equal(error.hideStack, true);
      const [title, ...lines] = error.message.split("\n");
      assert.match(title ?? "", /^PublicNetwork "customers" has \d mistakes:$/);
      assert.ok(
        lines.some((line) => line.includes("vxlan.vni: 254 is the kernel's main routing table; set routing.table")),
      );
      assert.ok(
        lines.some((line) => line.includes("routing.cidr: 203.0.113.7/24 has host bits; did you mean 203.0.113.0/24?")),
      );
      assert.ok(lines.some((line) => line.includes("vxlan.peers")));
      return true;
    },
  );
  assert.deepEqual(registered, []);
});

test("two networks of one program that clash are found before anything is created", () => {
  const router = newRouter();
  new PublicNetwork("customers", { type: "vxlan", vxlan, routing, router });
  assert.throws(
    () =>
      new PublicNetwork("tenants", {
        type: "vlan",
        vlan: { parent: "bond0", id: 228 },
        routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
        router,
      }),
    /PublicNetwork "tenants" has 1 mistake:\n {2}vlan\.id: 228 is the routing table that vxlan228\.vxlan\.vni already uses; set routing\.table/,
  );
});

test("a value that is known later hides only what follows from it", async () => {
  const network = new PublicNetwork("customers", {
    type: "vxlan",
    vxlan,
    routing: { ...routing, cidr: unknownOutput<string>() },
    router: newRouter(),
  });
  const component = await inputsOf<Shown>("vlan-router:index:PublicNetwork");
  assert.equal(component.routingTable, 228);
  assert.equal(component.gobgpPort, 20228);
  assert.equal(await knownValue(network.routingTable), 228);
  assert.equal(await knownValue(network.cidr), undefined);
  assert.equal(await knownValue(network.gateway), "203.0.113.1");
});

test("a value from another resource that is known at preview is used in full", async () => {
  new PublicNetwork("customers", {
    type: "vxlan",
    vxlan,
    routing: { ...routing, cidr: pulumi.output("203.0.113.0/24") },
    router: newRouter(),
  });
  const component = await inputsOf<Shown>("vlan-router:index:PublicNetwork");
  assert.equal(component.cidr, "203.0.113.0/24");
  assert.ok(component.commands.length > 10);
});

test("without a router the cluster must be named", () => {
  assert.throws(
    () => new PublicNetwork("customers", { type: "vxlan", vxlan, routing }),
    /PublicNetwork "customers": no cluster is named; give cluster\.kubeconfig/,
  );
});

test("nodes.tolerateUnreachable reaches the state resource, and a number that counts nothing is refused", async () => {
  const args = { type: "vxlan", vxlan, routing, cluster } as const;
  assert.throws(
    () => new PublicNetwork("customers", { ...args, nodes: { tolerateUnreachable: -1 } }),
    /PublicNetwork "customers" has 1 mistake:\n {2}nodes\.tolerateUnreachable: -1 is no number of nodes; write a whole number from 0 on/,
  );
  new PublicNetwork("customers", { ...args, nodes: { tolerateUnreachable: 2 } });
  const state = await inputsOf<Shown>("pulumi-nodejs:dynamic/vlan-router:NetworkState");
  assert.equal(state.tolerateUnreachable, 2);
});

interface MetallbObject {
  readonly metadata: object;
  readonly spec: object;
}

test("a pool and its advertisement are made for the network, with its interface and its nodes", async () => {
  const network = new PublicNetwork("customers", {
    type: "vxlan",
    vxlan,
    routing,
    nodeSelector: { rack: "a" },
    router: newRouter(),
    addressPool: { autoAssign: false },
  });
  const metadata = {
    name: "vxlan228",
    namespace: "metallb-system",
    labels: { "app.kubernetes.io/managed-by": "pulumi" },
    annotations: {
      "vlan-router.io/owner": "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::customers",
    },
  };
  const pool = await inputsOf<MetallbObject>("kubernetes:metallb.io/v1beta1:IPAddressPool");
  assert.deepEqual(pool.metadata, metadata);
  assert.deepEqual(pool.spec, { addresses: ["203.0.113.2-203.0.113.254"], autoAssign: false });
  const advertisement = await inputsOf<MetallbObject>("kubernetes:metallb.io/v1beta1:L2Advertisement");
  assert.deepEqual(advertisement.metadata, metadata);
  assert.deepEqual(advertisement.spec, {
    ipAddressPools: ["vxlan228"],
    interfaces: ["vxlan228"],
    nodeSelectors: [{ matchLabels: { rack: "a" } }],
  });
  assert.deepEqual(await knownValue(network.addressPool), {
    name: "vxlan228",
    namespace: "metallb-system",
    addresses: ["203.0.113.2-203.0.113.254"],
  });
  // The router's own provider: no second one for the same cluster.
  assert.deepEqual(
    registered.filter(({ type }) => type === "pulumi:providers:kubernetes").map(({ name }) => name),
    ["router-cluster", "router-definitions"],
  );
});

test("a pool without a router gets a provider of its own, and what the program chooses", async () => {
  new PublicNetwork("customers", {
    type: "vxlan",
    vxlan,
    routing,
    cluster,
    addressPool: { name: "gold", namespace: "lb", addresses: ["203.0.113.16/28"] },
  });
  const pool = await inputsOf<MetallbObject>("kubernetes:metallb.io/v1beta1:IPAddressPool");
  assert.deepEqual(pool.spec, { addresses: ["203.0.113.16/28"] });
  assert.match(JSON.stringify(pool.metadata), /"name":"gold","namespace":"lb"/);
  assert.deepEqual(
    registered.filter(({ type }) => type === "pulumi:providers:kubernetes").map(({ name }) => name),
    ["customers-cluster"],
  );
});

test("no pool is made unless one is asked for", async () => {
  const network = new PublicNetwork("customers", { type: "vxlan", vxlan, routing, cluster, addressPool: false });
  assert.equal(await knownValue(network.addressPool), undefined);
  assert.deepEqual(
    registered.filter(({ type }) => type.startsWith("kubernetes:")),
    [],
  );
});

test("an Output in the place of the segment is refused: interface, table and port are named by it", () => {
  const args = { type: "vxlan", vxlan: { ...vxlan, vni: pulumi.output(228) }, routing, cluster };
  assert.throws(
    () => new PublicNetwork("customers", args as unknown as PublicNetworkArgs),
    /PublicNetwork "customers" has 1 mistake:\n {2}vxlan\.vni: comes as an Output/,
  );
  assert.deepEqual(registered, []);
});

test("the provider is told the places of secrets, whose values it gets in plain; nothing where there is none", async () => {
  const router = newRouter();
  const bgp = { ...vxlan.bgp, passwordFile: pulumi.secret("/etc/fabric"), peers: [pulumi.secret("10.0.7.19")] };
  const subnet = { ...routing, gateway: pulumi.output("203.0.113.1") };
  new PublicNetwork("customers", {
    type: "vxlan",
    vxlan: { ...vxlan, bgp },
    routing: [pulumi.output({ ...subnet, returnPath: pulumi.secret("auto" as const) })] as never,
    addressPool: { addresses: [pulumi.secret("203.0.113.16/28")], namespace: pulumi.output("lb") },
    router,
  });
  new PublicNetwork("tenants", {
    type: "vlan",
    vlan: { parent: "bond0", id: 220 },
    routing: { ...subnet, cidr: "203.0.113.0/25" },
    router,
  });
  const states = await resourcesOf("pulumi-nodejs:dynamic/vlan-router:NetworkState");
  const secretsOf = (name: string) => states.find((state) => state.name === `${name}-state`)?.inputs.secrets;
  assert.deepEqual(secretsOf("customers"), [
    "addressPool.addresses[0]",
    "routing[0]",
    "vxlan.bgp.passwordFile",
    "vxlan.bgp.peers[0]",
  ]);
  assert.equal(secretsOf("tenants"), undefined);
});
