/** A subnet, or another number, moves from one network of a program to another in one update. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { apiVersion, type PublicNetworkObject } from "../../../model/index.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { start, written } from "../../support/network-fixtures.js";
import { owner, Scenario } from "./scenario.js";

const kept = written.routing;
const moved = { cidr: "198.51.100.0/24", gateway: "198.51.100.1" };
const berlinOwner = owner.replace("::customers", "::berlin");
const berlin = (changes: Partial<NetworkStateArguments> = {}): Partial<NetworkStateArguments> => ({
  name: "berlin",
  owner: berlinOwner,
  spec: {
    ...written,
    vxlan: { vni: 230, nodeNet: "10.0.7.0/24", remotes: ["10.0.7.12"] },
    routing: [
      { cidr: "192.0.2.0/24", gateway: "192.0.2.1" },
      { ...moved, table: 1230 },
    ],
  },
  ...changes,
});
const before = { spec: { ...written, routing: [kept, { ...moved, table: 1228 }] } };

/** Customers is deployed with both subnets. */
async function deployed(context: TestContext) {
  const scenario = await Scenario.start(context);
  const { outs } = await scenario.networkState.create(await scenario.checked(before));
  const next = await Scenario.start(context);
  const check = (changes: Partial<NetworkStateArguments>, olds: Partial<NetworkStateInputs> = {}) =>
    next.networkState.check(olds, scenario.arguments(changes));
  const reasons = async (changes: Partial<NetworkStateArguments>, olds?: Partial<NetworkStateInputs>) =>
    (await check(changes, olds)).failures.map(({ reason }) => reason);
  return { scenario, next, outs, check, reasons };
}

test("a network takes over what one that stands before it in the program gives up, once its nodes have", async (context) => {
  const { scenario, next, outs, check, reasons } = await deployed(context);
  assert.deepEqual(await reasons({}, outs), []);
  const { inputs, failures } = await check(berlin());
  assert.deepEqual(failures, []);
  const { server } = scenario;
  next.whileSleeping = (now) => {
    if (now === start + 1_000) {
      server.agents = () => undefined;
      const object = server.network("customers") as PublicNetworkObject;
      server.put("publicnetworks", { ...object, spec: { ...object.spec, routing: object.spec.routing.slice(0, 1) } });
    }
    if (now === start + 3_000) scenario.agents();
    if (now >= start + 5_000) server.remove("publicnetworks", "customers");
    if (now >= start + 6_000) scenario.agents();
  };
  server.requests.length = 0;
  next.environment.lines.length = 0;
  await next.networkState.create(inputs as NetworkStateInputs);
  assert.deepEqual(next.environment.lines.slice(0, 2), [
    "network berlin: waiting until network customers has given up what routing[1].cidr needs",
    "network berlin: waiting until n1, n2, n3 carry network customers as it is now",
  ]);
  const applied = server.requests.filter(({ method }) => method === "PATCH").map(({ path }) => path.split("/").at(-1));
  assert.deepEqual(applied, ["berlin"]);
});

test("the deadline ends the wait for a network that gives nothing up, with nothing applied", async (context) => {
  const { scenario, next, outs, check, reasons } = await deployed(context);
  assert.deepEqual(await reasons({}, outs), []);
  const { inputs } = await check(berlin());
  await assert.rejects(next.networkState.create(inputs as NetworkStateInputs), {
    message:
      "network berlin: waiting until network customers has given up what routing[1].cidr needs: not done after 120 s; " +
      'nothing of it was applied, and "pulumi up" waits again',
  });
  assert.equal(scenario.server.network("berlin"), undefined);
});

test("one that comes before the network which gives it up, or whose giver the program removes, is refused with what to do", async (context) => {
  const { outs, reasons } = await deployed(context);
  const [reason] = await reasons(berlin());
  assert.equal(
    reason,
    "routing[1].cidr: 198.51.100.0/24 is already customers.routing[1].cidr; a prefix stands in one network; remove one, or to move " +
      "it set routing.replaces: customers here; where this program changes that network so that both can stand, give this " +
      "one dependsOn: [that network]; where it removes it, do that in an update of its own",
  );
  assert.deepEqual(await reasons({}, outs), []);
});

test("what the program still declares in both, and what another stack has, stays a clash", async (context) => {
  const { scenario, outs, reasons } = await deployed(context);
  assert.deepEqual(await reasons(before, outs), []);
  assert.match((await reasons(berlin())).join(), /^routing\[1\]\.cidr: .* \(the program declares both\)$/);
  const object = scenario.server.network("customers") as PublicNetworkObject;
  assert.equal(object.apiVersion, apiVersion);
  const annotations = { "vlan-router.io/owner": "infra/stage urn:theirs" };
  scenario.server.put("publicnetworks", { ...object, metadata: { ...object.metadata, name: "theirs", annotations } });
  scenario.server.remove("publicnetworks", "customers");
  assert.match((await reasons({})).join(), /is already theirs\./);
});

test("a migration by replaces ends in one update: the old network gives up the prefix and the new one forgets it", async (context) => {
  const { scenario, outs, check, reasons } = await deployed(context);
  const routing = [
    { cidr: "192.0.2.0/24", gateway: "192.0.2.1" },
    { ...moved, table: 1230, replaces: "customers" },
  ];
  const migrating = berlin({ spec: { ...(berlin().spec as object), routing } });
  assert.deepEqual(await reasons(before, outs), []);
  const { inputs } = await check(migrating);
  const metadata = { name: "berlin", annotations: { "vlan-router.io/owner": berlinOwner } };
  const { spec } = inputs as NetworkStateInputs;
  scenario.server.put("publicnetworks", { apiVersion, kind: "PublicNetwork", metadata, spec });
  const last = await Scenario.start(context);
  const customers = await last.networkState.check(outs, scenario.arguments());
  const { failures } = await last.networkState.check(inputs as NetworkStateInputs, scenario.arguments(berlin()));
  assert.deepEqual([customers.failures, failures], [[], []]);
});
