import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, unknownValue } from "../../../model/index.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { normal, podNetworks, report, router, start, written } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

test("check makes the normal form and adds what a reviewer reads", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  assert.deepEqual(inputs, {
    ...scenario.arguments(),
    spec: normal,
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
    clusterUid: "5f4dcc3b-0000-4000-8000-000000000001",
    drift: {},
  });
});

test("the table does not depend on the order of the subnets; cidr and gateway are those of the first", async (context) => {
  const scenario = await Scenario.start(context);
  const routing = [
    { cidr: "203.0.113.128/25", gateway: "203.0.113.129", table: 1300 },
    { cidr: "203.0.113.0/25", gateway: "203.0.113.1" },
  ];
  const inputs = await scenario.checked({ spec: { ...written, routing } });
  assert.deepEqual([inputs.routingTable, inputs.cidr, inputs.gateway], [228, "203.0.113.128/25", "203.0.113.129"]);
});

test("checking checked inputs changes nothing", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  assert.deepEqual(await scenario.networkState.check(inputs, inputs), { inputs, failures: [] });
});

test("a VLAN network has no port and no route target, not even undefined ones", async (context) => {
  const scenario = await Scenario.start(context);
  const spec = {
    type: "vlan",
    vlan: { parent: "bond0", id: 220 },
    routing: { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
  };
  const inputs = await scenario.checked({ spec });
  assert.equal(inputs.interfaceName, "vlan220");
  assert.equal("gobgpPort" in inputs, false);
  assert.equal("routeTarget" in inputs, false);
});

test("every mistake is a failure that says the path of the argument, and the engine's own wording of paths is left out", async (context) => {
  const scenario = await Scenario.start(context);
  const spec = {
    ...written,
    vxlan: { ...written.vxlan, vni: 254 },
    routing: { cidr: "203.0.113.7/24", gateway: "203.0.113.1" },
  };
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ spec }));
  assert.deepEqual(failures, [
    { property: "", reason: "routing.cidr: 203.0.113.7/24 has host bits; did you mean 203.0.113.0/24?" },
    { property: "", reason: "vxlan.vni: 254 is the kernel's main routing table; set routing.table" },
  ]);
});

test("what Pulumi does not know yet passes, and makes unknown only what follows from it", async (context) => {
  const scenario = await Scenario.start(context);
  const spec = { ...written, routing: { cidr: unknownValue, gateway: "203.0.113.1" } };
  const inputs = await scenario.checked({ spec });
  assert.equal(inputs.routingTable, 228);
  assert.equal(inputs.gateway, "203.0.113.1");
  assert.equal(inputs.cidr, unknownValue);
  assert.equal(inputs.rulePriorities, unknownValue);
  assert.equal(inputs.capacity, unknownValue);
});

const ours = { "vlan-router.io/owner": owner };
const other = { apiVersion, kind: "PublicNetwork", metadata: { name: "tenants" }, spec: normal } as const;

test("a clash with another stack's network is found at preview, its own object is none", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("publicnetworks", { ...other, metadata: { name: "customers", annotations: ours } });
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);

  scenario.server.put("publicnetworks", other);
  const { failures } = await scenario.networkState.check({}, scenario.arguments());
  assert.ok(failures.some(({ reason }) => reason.startsWith("vxlan.vni: 228 is already tenants.vxlan.vni; ")));
});

test("a name that an object made by hand has is refused at preview", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("publicnetworks", { ...other, metadata: { name: "customers" } });
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, [
    {
      property: "",
      reason:
        "name: PublicNetwork customers exists and no Pulumi stack owns it (it has no annotation vlan-router.io/owner); " +
        "choose another name, set adopt: true to take it over as it is, or delete it first",
    },
  ]);
});

test("a renamed network does not clash with its old self", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("publicnetworks", { ...other, metadata: { name: "tenants", annotations: ours } });
  const olds = await scenario.checked({ name: "tenants" });
  assert.deepEqual((await scenario.networkState.check(olds, scenario.arguments())).failures, []);
});

test("a network whose logical name changed is refused at preview without an alias, and passes with one", async (context) => {
  const scenario = await Scenario.start(context);
  const olds = await (await Scenario.start(context)).checked();
  scenario.server.put("publicnetworks", { ...other, metadata: { name: "customers", annotations: ours } });
  const news = scenario.arguments({ owner: `${owner}-of-berlin` });
  // Without an alias the engine takes it for a new resource, and shows no old inputs.
  const { failures } = await scenario.networkState.check({}, news);
  assert.equal(failures.length, 1);
  assert.match(
    failures[0]?.reason ?? "",
    /^name: PublicNetwork customers already belongs to urn:\S+::customers of this stack; .*give it the option aliases: \["urn:\S+::customers"\], or its old name and parent again/,
  );
  assert.deepEqual((await scenario.networkState.check(olds, news)).failures, []);
  // In the same update another VNI: the engine checks the replacement again, as a new resource.
  const replaced = { ...news, spec: { ...written, vxlan: { ...written.vxlan, vni: 229 } } };
  for (const seen of [olds, {}]) {
    assert.deepEqual((await scenario.networkState.check(seen, replaced)).failures, []);
  }
});

test("a network that is replaced does not clash with itself, although its old inputs are not shown to check", async (context) => {
  const scenario = await Scenario.start(context);
  const metadata = { name: "vxlan228", annotations: { "vlan-router.io/owner": owner } };
  scenario.server.put("publicnetworks", { ...other, metadata });
  const spec = { ...written, vxlan: { ...written.vxlan, vni: 229 } };
  const news = scenario.arguments({ name: "vxlan229", spec });
  assert.deepEqual((await scenario.networkState.check({}, news)).failures, []);
});

test("a cluster that cannot be reached is a warning, one that is not made yet is not even asked", async (context) => {
  const scenario = await Scenario.start(context);
  const cluster = { kubeconfig: scenario.server.kubeconfig };
  await scenario.server.stop();
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ cluster }))).failures, []);
  assert.match(
    scenario.environment.lines.join("\n"),
    /^cluster: warning: .* http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/,
  );

  scenario.environment.lines.length = 0;
  await scenario.networkState.check({}, scenario.arguments({ cluster: { kubeconfig: unknownValue } }));
  assert.deepEqual(scenario.environment.lines, []);
});

test("before the definitions are installed there is nothing to clash with", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.undefinedKinds.add("publicnetworks");
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);
  assert.deepEqual(scenario.environment.lines, []);
});

test("credentials never stand in what check prints or refuses", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.clusterUid = "";
  const cluster = { kubeconfig: scenario.server.kubeconfig.replace("secret-token", "rotated-token") };
  const { failures } = await scenario.networkState.check(
    {},
    scenario.arguments({ cluster, spec: { ...written, vxlan: {} } }),
  );
  assert.notEqual(failures.length, 0);
  failures.push(...(await scenario.networkState.check({}, scenario.arguments({ cluster }))).failures);
  const printed = [...scenario.environment.lines, JSON.stringify(failures)].join("\n");
  assert.match(printed, /says 401/);
  assert.doesNotMatch(printed, /rotated-token|secret-token/);
});

/** A program that does not declare the cluster's VlanRouter. */
function withoutRouter(scenario: Scenario): NetworkStateArguments {
  const { podNetworks: _, ...news } = scenario.arguments();
  return news;
}

test("without a router in the program the cluster's gives pod networks, CNI and commands", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("vlanrouters", { ...router, spec: { podNetworks, cni: "flannel" } });
  const { inputs, failures } = await scenario.networkState.check({}, withoutRouter(scenario));
  assert.deepEqual(failures, []);
  const { podNetworks: found, cni, commands } = inputs as NetworkStateInputs;
  assert.deepEqual([found, cni], [["10.244.0.0/16", "10.96.0.0/16"], "flannel"]);
  assert.ok(
    commands?.includes("ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main"),
    commands?.join("\n"),
  );
});

test("the cluster's CNI and pod networks are checked against, although the program names neither", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("vlanrouters", { ...router, spec: { podNetworks: ["203.0.113.0/25"], cni: "calico" } });
  const { failures } = await scenario.networkState.check({}, withoutRouter(scenario));
  assert.deepEqual(failures.map(({ reason }) => reason.split(":")[0]).sort(), ["routing.cidr", "vxlan.vni"]);
});

test("a cluster without a VlanRouter is refused at preview, with the remedy", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.remove("vlanrouters", "default");
  const { failures } = await scenario.networkState.check({}, withoutRouter(scenario));
  assert.deepEqual(failures, [
    {
      property: "",
      reason:
        'router: the cluster has no VlanRouter "default", so no node would carry the network; declare a VlanRouter component and pass it as "router"',
    },
  ]);
  // A program that declares it makes it before the network.
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);
});

test("while the cluster cannot be reached, what it said before stands: a preview shows no change", async (context) => {
  const scenario = await Scenario.start(context);
  const news = withoutRouter(scenario);
  const { inputs: olds } = await scenario.networkState.check({}, news);
  await scenario.server.stop();
  const { inputs, failures } = await scenario.networkState.check(olds as NetworkStateInputs, news);
  assert.deepEqual(failures, []);
  assert.deepEqual(inputs, olds);
});

test("what nodes still hold of a network whose object is gone is a clash, with nodes and remedy", async (context) => {
  const scenario = await Scenario.start(context);
  const gone = { ...other, metadata: { name: "tenants", uid: "uid-9" } };
  for (const node of ["n2", "n1"]) scenario.server.put("routernodes", report(node, gone, start));
  scenario.server.put("routernodes", report("n3", undefined, start));
  const { failures } = await scenario.networkState.check({}, scenario.arguments());
  assert.deepEqual(failures, [
    {
      property: "",
      reason:
        "vxlan.vni: 228 is the interface vxlan228 of network tenants, which n1, n2 still carry although its PublicNetwork is gone; " +
        "create tenants again, or have the nodes remove it: add its uid uid-9 to status.removed of VlanRouter/default",
    },
  ]);
  // The same network made again takes over what is there.
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ name: "tenants" }))).failures, []);
  // A declared network is compared by its object.
  const spec = { type: "vlan", vlan: { parent: "bond0", id: 300 }, routing: normal.routing } as const;
  scenario.server.put("publicnetworks", { ...gone, spec });
  const { failures: declared } = await scenario.networkState.check({}, scenario.arguments());
  assert.doesNotMatch(JSON.stringify(declared), /still carry/);
});

test("a network that nodes without the label hold is no clash", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("routernodes", report("n1", { ...other, metadata: { name: "tenants", uid: "uid-9" } }, start));
  const spec = { ...written, nodeSelector: { rack: "b" } };
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ spec }))).failures, []);
});

test("a CNI that the nodes run and nobody declares is a warning with its numbers; a declared one is not", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.nodes.push({ name: "n4", ready: true, networkReason: "CalicoIsUp" });
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);
  assert.deepEqual(scenario.environment.lines, [
    'network customers: warning: nodes run calico, and VlanRouter/default names no cni; with "cni: calico" it says: ' +
      "vxlan.vni: 228 is one of Calico's routing tables (1 to 250); set routing.table, such as 1228",
  ]);
  scenario.environment.lines.length = 0;
  await scenario.networkState.check({}, scenario.arguments({ cni: "flannel" }));
  assert.deepEqual(scenario.environment.lines, []);
});

test("networks that are checked at the same time ask the cluster once", async (context) => {
  const scenario = await Scenario.start(context);
  const checks = ["a", "b", "c"].map((name) => scenario.networkState.check({}, scenario.arguments({ name })));
  await Promise.all(checks);
  const asked = (end: string) => scenario.server.requests.filter(({ path }) => path.endsWith(end)).length;
  const lists = ["/namespaces/kube-system", "/nodes", "/routernodes", "/publicnetworks", "/vlanrouters/default"];
  assert.deepEqual(lists.map(asked), [1, 1, 1, 1, 1]);
  await scenario.networkState.check({}, scenario.arguments());
  assert.deepEqual(lists.map(asked), [2, 2, 2, 2, 2]);
});

const addressPool = { name: "customers", namespace: "metallb-system" };
const metallbKinds = ["IPAddressPool", "L2Advertisement", "ServiceL2Status"];

test("a pool gets the addresses that customers can have, the interface and the nodes of the network", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const spec = { ...written, nodeSelector: { rack: "a" } };
  const inputs = await scenario.checked({ spec, addressPool });
  assert.deepEqual(inputs.addressPool, {
    name: "customers",
    namespace: "metallb-system",
    addresses: ["203.0.113.2-203.0.113.254"],
    interfaces: ["vxlan228"],
    nodeSelector: { rack: "a" },
  });
  assert.deepEqual((await scenario.networkState.check(inputs, inputs)).inputs, inputs);
});

test("the pool of a bridged network is answered for on the bridge", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const spec = {
    type: "vxlan",
    vxlan: { vni: 228, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.12"], bridge: true },
    routing: written.routing,
  };
  const { inputs, failures } = await scenario.networkState.check({}, scenario.arguments({ spec, addressPool }));
  assert.deepEqual(failures, []);
  assert.deepEqual((inputs as NetworkStateInputs).addressPool?.interfaces, ["br228"]);
});

test("what follows for the pool from an unknown prefix is unknown, its name is not", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const spec = { ...written, routing: { cidr: unknownValue, gateway: "203.0.113.1" } };
  const { addressPool: pool } = await scenario.checked({ spec, addressPool });
  assert.equal(pool?.addresses, unknownValue);
  assert.deepEqual([pool?.name, pool?.interfaces], ["customers", ["vxlan228"]]);
});

test("addresses that customers cannot have are refused in the pool's own place", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const wanted = { ...addressPool, addresses: ["203.0.113.16-203.0.113.31", "203.0.113.0/28"] };
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ addressPool: wanted }));
  assert.deepEqual(failures, [
    {
      property: "",
      reason:
        "addressPool.addresses[1]: 203.0.113.0/28 holds addresses that customers of this network cannot have; stay inside 203.0.113.2-203.0.113.254",
    },
  ]);
});

test("a pool without MetalLB is a warning with the remedy: the update may install it; a network without a pool needs none", async (context) => {
  const scenario = await Scenario.start(context);
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ addressPool }))).failures, []);
  assert.deepEqual(scenario.environment.lines, [
    "network customers: warning: the cluster has no IPAddressPool and no L2Advertisement of metallb.io/v1beta1, of which an address pool is made; " +
      "install MetalLB first (https://metallb.io/installation), in an earlier update or in this one with the network's option dependsOn, or leave addressPool out",
  ]);
  scenario.environment.lines.length = 0;
  await scenario.networkState.check({}, scenario.arguments());
  assert.deepEqual(scenario.environment.lines, []);
});

/** A network of the same program whose prefix lies in that of `customers`. */
function nested(scenario: Scenario, changes: Partial<NetworkStateArguments> = {}): NetworkStateArguments {
  const spec = {
    type: "vlan",
    vlan: { parent: "bond0", id: 220 },
    routing: { cidr: "203.0.113.128/25", gateway: "203.0.113.129" },
  };
  return scenario.arguments({ name: "tenants", owner: "infra/prod urn:tenants", spec, addressPool, ...changes });
}

test("pools of two new networks of one program that share addresses are refused at preview by both names", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  await scenario.checked({ addressPool });
  assert.deepEqual((await scenario.networkState.check({}, nested(scenario))).failures, [
    {
      property: "",
      reason:
        "addressPool: 203.0.113.130-203.0.113.254 of network tenants overlaps the pool of network customers (203.0.113.2-203.0.113.254) in this program, " +
        "and MetalLB takes no address in two pools; write addressPool.addresses in one of them, so that no address is in both",
    },
  ]);
});

test("pools of one program may lie beside each other, or in different clusters, or be checked again", async (context) => {
  const scenario = await Scenario.start(context);
  const elsewhere = await Scenario.start(context);
  elsewhere.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  for (const { server } of [scenario, elsewhere]) server.metallbKinds = metallbKinds;
  const inputs = await scenario.checked({ addressPool });
  assert.deepEqual((await scenario.networkState.check(inputs, inputs)).failures, []);
  const { cluster } = elsewhere.arguments();
  assert.deepEqual((await scenario.networkState.check({}, nested(scenario, { cluster }))).failures, []);
  const smaller = { ...addressPool, addresses: ["203.0.113.2-203.0.113.127"] };
  await scenario.checked({ addressPool: smaller });
  assert.deepEqual((await scenario.networkState.check({}, nested(scenario))).failures, []);
});

test("the pool of a network that an alias moves is its own", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const olds = await (await Scenario.start(context)).checked();
  const metadata = { name: "customers", namespace: "metallb-system", annotations: ours };
  scenario.server.addressPools = [{ metadata, spec: { addresses: ["203.0.113.2-203.0.113.254"] } }];
  const news = scenario.arguments({ owner: `${owner}-of-berlin`, addressPool });
  assert.deepEqual((await scenario.networkState.check(olds, news)).failures, []);
  assert.equal((await scenario.networkState.check({}, news)).failures.length, 1);
});

test("a pool that overlaps another one is refused at preview, its own under another name is not", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.metallbKinds = metallbKinds;
  const spec = { addresses: ["203.0.113.10-203.0.113.250"] };
  const metadata = { name: "public", namespace: "metallb-system" };
  scenario.server.addressPools = [{ metadata, spec }];
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ addressPool }))).failures, [
    {
      property: "",
      reason:
        "addressPool: 203.0.113.2-203.0.113.254 overlaps IPAddressPool metallb-system/public, and MetalLB takes no address in two pools; " +
        "write addressPool.addresses beside it, or remove that pool first",
    },
  ]);
  const beside = { ...addressPool, addresses: ["203.0.113.251-203.0.113.254"] };
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ addressPool: beside }))).failures, []);
  scenario.server.addressPools = [{ metadata: { ...metadata, annotations: { "vlan-router.io/owner": owner } }, spec }];
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ addressPool }))).failures, []);
});
