import assert from "node:assert/strict";
import { test } from "node:test";
import { apiVersion, unknownValue } from "../../../model/index.js";
import { normal, written } from "./fixtures.js";
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
    drift: {},
  });
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

test("every mistake is a failure with the path of its property", async (context) => {
  const scenario = await Scenario.start(context);
  const spec = {
    ...written,
    vxlan: { ...written.vxlan, vni: 254 },
    routing: { cidr: "203.0.113.7/24", gateway: "203.0.113.1" },
  };
  const { failures } = await scenario.networkState.check({}, scenario.arguments({ spec }));
  assert.deepEqual(failures.map(({ property }) => property).sort(), ["spec.routing.cidr", "spec.vxlan.vni"]);
  assert.match(
    failures.map(({ reason }) => reason).join("\n"),
    /203\.0\.113\.7\/24 has host bits; did you mean 203\.0\.113\.0\/24\?/,
  );
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

const other = { apiVersion, kind: "PublicNetwork", metadata: { name: "tenants" }, spec: normal } as const;

test("a clash with another stack's network is found at preview, its own object is none", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("publicnetworks", { ...other, metadata: { name: "customers" } });
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);

  scenario.server.put("publicnetworks", other);
  const { failures } = await scenario.networkState.check({}, scenario.arguments());
  assert.ok(
    failures.some(({ property, reason }) => property === "spec.vxlan.vni" && reason.includes("tenants.vxlan.vni")),
  );
});

test("a renamed network does not clash with its old self", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.put("publicnetworks", other);
  const olds = await scenario.checked({ name: "tenants" });
  assert.deepEqual((await scenario.networkState.check(olds, scenario.arguments())).failures, []);
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
    /^network customers: warning: .* http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/,
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
  await scenario.networkState.check({}, scenario.arguments({ cluster }));
  const printed = [...scenario.environment.lines, JSON.stringify(failures)].join("\n");
  assert.match(printed, /says 401/);
  assert.doesNotMatch(printed, /rotated-token|secret-token/);
});
