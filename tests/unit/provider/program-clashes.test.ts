import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, ownerAnnotation, type PublicNetworkObject, unknownValue } from "../../../model/index.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { written } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

const tenantsOwner = "infra/prod urn:pulumi:prod::infra::vlan-router:index:PublicNetwork::tenants";
const elsewhere = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };

/** A network that meets nothing of `customers`, which has VNI 228 and 203.0.113.0/24. */
function tenants(vxlan: object = {}, routing: object = {}): Partial<NetworkStateArguments> {
  const { bgp } = written.vxlan;
  const spec = {
    type: "vxlan",
    vxlan: { ...written.vxlan, vni: 229, bgp, ...vxlan },
    routing: { ...elsewhere, ...routing },
  };
  return { name: "tenants", owner: tenantsOwner, spec };
}

const { bgp } = written.vxlan;

/** What the second network has of the first, and what is said of it. */
const clashes: readonly (readonly [string, Partial<NetworkStateArguments>, string])[] = [
  [
    "the VNI",
    tenants({ vni: 228 }),
    "vxlan.vni: 228 is already customers.vxlan.vni; list both subnets under one network, the second with a routing.table of its own",
  ],
  [
    "the number, one as a VLAN",
    { ...tenants(), spec: { type: "vlan", vlan: { parent: "bond0", id: 228 }, routing: elsewhere } },
    "vlan.id: 228 is the routing table that customers.vxlan.vni already uses; set routing.table",
  ],
  [
    "the routing table",
    tenants({}, { table: 228 }),
    "routing.table: 228 is the routing table that customers.vxlan.vni already uses; choose another number",
  ],
  [
    "the port of the GoBGP API",
    tenants({ vni: 10_228 }),
    "vxlan.vni: 10228 gives the GoBGP API port 20228 that customers.vxlan.vni has too; set bgp.gobgpPort in one of them",
  ],
  [
    "the number of the route distinguisher",
    tenants({ vni: 65_764 }),
    "vxlan.vni: 65764 gives the route distinguisher number 228 (VNI mod 65536) that customers.vxlan.vni has too; give one of them " +
      "another VNI, or set bgp.routeDistinguisher where a single node carries it (nodeSelector with kubernetes.io/hostname): " +
      "written, it is the same on every node",
  ],
  [
    "the route target",
    tenants({ bgp: { ...bgp, routeTarget: "65001:228" } }),
    "vxlan.bgp.routeTarget: 65001:228 is the route target that customers.vxlan.vni has too: hosts of the one segment would be " +
      "taken for the other's; set bgp.routeTarget to another in one of them, and on the switches",
  ],
  [
    "the prefix",
    tenants({}, { cidr: "203.0.113.0/24", gateway: "203.0.113.1" }),
    "routing.cidr: 203.0.113.0/24 is already customers.routing[0].cidr; a prefix stands in one network; remove one, or to move " +
      "it set routing.replaces: customers here",
  ],
  [
    "the peers, with another hold time",
    tenants({ bgp: { ...bgp, holdTime: 9 } }),
    "vxlan.bgp.holdTime: 9 is not the 30 of customers.vxlan.bgp.holdTime, and a router keeps one session per address (10.0.7.19); " +
      "write the same in both, or give this network other peers",
  ],
  [
    "the name",
    { ...tenants(), name: "customers" },
    "name: customers is already taken by customers.name; give one of them another name",
  ],
];

for (const [what, second, reason] of clashes) {
  test(`two new networks of one program with the same: ${what}; the later one is refused at preview`, async (context) => {
    const scenario = await Scenario.start(context);
    await scenario.checked();
    const { failures } = await scenario.networkState.check({}, scenario.arguments(second));
    assert.deepEqual(
      failures.map((failure) => failure.reason),
      [`${reason} (the program declares both)`],
    );
  });
}

test("networks of one program that share nothing pass, and so does one that is checked again or takes a prefix over", async (context) => {
  const scenario = await Scenario.start(context);
  const inputs = await scenario.checked();
  await scenario.checked(tenants());
  assert.deepEqual((await scenario.networkState.check(inputs, inputs)).failures, []);
  const { cidr, gateway } = written.routing;
  await scenario.checked(tenants({}, { cidr, gateway, replaces: "customers" }));
});

test("a clash with a network that the cluster and the program have is told once", async (context) => {
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked());
  assert.deepEqual((await scenario.networkState.check(outs, scenario.arguments())).failures, []);
  const { failures } = await scenario.networkState.check({}, scenario.arguments(tenants({ vni: 228 })));
  assert.deepEqual(
    failures.map(({ reason }) => reason.split(";")[0]),
    ["vxlan.vni: 228 is already customers.vxlan.vni"],
  );
});

const withHoldTime = (holdTime: number): NetworkStateArguments["spec"] => ({
  ...written,
  vxlan: { ...written.vxlan, bgp: { ...bgp, holdTime } },
});

function tenantsObject({ spec }: NetworkStateInputs, by: string): PublicNetworkObject {
  return {
    apiVersion,
    kind: "PublicNetwork",
    metadata: { name: "tenants", annotations: { [ownerAnnotation]: by } },
    spec,
  };
}

test("what networks share with their peers changes in all of a program at once, and not in one alone", async (context) => {
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked());
  const held = await (await Scenario.start(context)).checked(tenants());
  scenario.server.put("publicnetworks", tenantsObject(held, tenantsOwner));
  const news = { ...scenario.arguments(), spec: withHoldTime(9) };
  assert.deepEqual((await scenario.networkState.check(outs, news)).failures, []);
  const { failures } = await scenario.networkState.check(held, scenario.arguments(tenants()));
  assert.match(failures[0]?.reason ?? "", /^vxlan\.bgp\.holdTime: 30 is not the 9 of customers\.vxlan\.bgp\.holdTime/);
  const both = scenario.arguments(tenants({ bgp: { ...bgp, holdTime: 9 } }));
  assert.deepEqual((await scenario.networkState.check(held, both)).failures, []);
});

test("a hold time that somebody edited in one network does not keep another from being checked; another stack's does", async (context) => {
  const other = await (await Scenario.start(context)).checked(tenants({ bgp: { ...bgp, holdTime: 9 } }));
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked());
  const failuresBeside = async (by: string) => {
    scenario.server.put("publicnetworks", tenantsObject(other, by));
    return (await scenario.networkState.check(outs, scenario.arguments())).failures.map(({ reason }) => reason);
  };
  assert.deepEqual(await failuresBeside(tenantsOwner), []);
  const [reason] = await failuresBeside(tenantsOwner.replace("infra/prod", "infra/stage"));
  assert.match(reason ?? "", /^vxlan\.bgp\.holdTime: 30 is not the 9 of tenants\.vxlan\.bgp\.holdTime/);
});

test("networks of two clusters do not clash, those of one do, by whatever kubeconfig it is named", async (context) => {
  const scenario = await Scenario.start(context);
  const other = await Scenario.start(context);
  other.server.clusterUid = "00000000-0000-4000-8000-00000000000b";
  await scenario.checked();
  const same = tenants({ vni: 228 });
  const check = async (cluster: NetworkStateArguments["cluster"]) =>
    (await scenario.networkState.check({}, scenario.arguments({ ...same, cluster }))).failures.length;
  assert.equal(await check(other.arguments().cluster), 0);
  assert.equal(await check({ kubeconfig: unknownValue }), 0);
  assert.equal(await check({ kubeconfig: `${scenario.server.kubeconfig}\n` }), 1);
});

test("clashes of a program are found although its cluster cannot be reached", async (context) => {
  const scenario = await Scenario.start(context);
  await scenario.server.stop();
  await scenario.checked();
  const { failures } = await scenario.networkState.check({}, scenario.arguments(tenants({ vni: 228 })));
  assert.equal(failures.length, 1);
});
