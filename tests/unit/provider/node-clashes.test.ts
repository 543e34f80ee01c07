import assert from "node:assert/strict";
import { test } from "node:test";
import { report, start, written } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

const device = { name: "vxlan.calico", kind: "vxlan", vni: 228, port: 4789 } as const;
const reason =
  "vxlan.vni: 228 on UDP port 4789 belongs to the interface vxlan.calico of n1, n3, which another program has made; " +
  "remove vxlan.calico there, choose another VNI, or another vxlan.port on the peers too";

async function withDevice(...context: Parameters<typeof Scenario.start>): Promise<Scenario> {
  const scenario = await Scenario.start(...context);
  scenario.reports.n1 = { foreign: { interfaces: [device] } };
  scenario.reports.n3 = { foreign: { interfaces: [device] } };
  scenario.agents();
  return scenario;
}

test("a new network is refused at preview where a node has another program's interface in its way", async (context) => {
  const scenario = await withDevice(context);
  const { failures } = await scenario.networkState.check({}, scenario.arguments());
  assert.deepEqual(failures, [{ property: "", reason }]);
});

test("a node without the network's labels does not count", async (context) => {
  const scenario = await withDevice(context);
  const spec = { ...written, nodeSelector: { rack: "b" } };
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments({ spec }))).failures, []);
});

test("what a network meets already is a warning and holds no other change; what a change brings is refused", async (context) => {
  const scenario = await Scenario.start(context);
  const olds = await scenario.checked();
  scenario.reports.n1 = { foreign: { interfaces: [device], tables: [1228] } };
  scenario.reports.n3 = { foreign: { interfaces: [device] } };
  scenario.agents();
  const routing = { cidr: "203.0.113.0/24", gateway: "203.0.113.254" };
  const spec = { ...written, routing };
  assert.deepEqual((await scenario.networkState.check(olds, scenario.arguments({ spec }))).failures, []);
  const warnings = scenario.environment.lines.filter((line) => line.includes(": warning: "));
  assert.deepEqual(warnings, [`network customers: warning: ${reason}`]);
  const moved = scenario.arguments({ spec: { ...written, routing: { ...routing, table: 1228 } } });
  assert.deepEqual((await scenario.networkState.check(olds, moved)).failures, [
    {
      property: "",
      reason:
        "routing.table: 1228 is a routing table that another program's rule looks up on n1, for packets of any source; " +
        "set routing.table to another number, or remove that rule first",
    },
  ]);
});

test("an agent that does not tell of them yet is no clash", async (context) => {
  const scenario = await Scenario.start(context);
  scenario.server.agents = () => undefined;
  const { status, ...object } = report("n1", undefined, start);
  assert.ok(status);
  const { foreign: _, ...untold } = status;
  scenario.server.put("routernodes", { ...object, status: untold });
  assert.deepEqual((await scenario.networkState.check({}, scenario.arguments())).failures, []);
});
