import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { apiVersion, type NetworkSpec, unknownValue } from "../../../model/index.js";
import type { NetworkStateArguments, NetworkStateInputs } from "../../../provider/network-state/state.js";
import { normal, router, written } from "../../support/network-fixtures.js";
import { Scenario } from "./scenario.js";

type Changes = Partial<NetworkStateArguments>;

/** What a check prints that finds the network of the fixtures in the state, and these changes in the program. */
async function told(scenario: Scenario, changes: Changes, held?: NetworkStateInputs): Promise<readonly string[]> {
  const olds = held ?? (await scenario.checked());
  scenario.environment.lines.length = 0;
  const { failures } = await scenario.networkState.check(olds, scenario.arguments(changes));
  assert.deepEqual(failures, []);
  return scenario.environment.lines;
}

async function toldOf(context: TestContext, changes: Changes): Promise<readonly string[]> {
  return told(await Scenario.start(context), changes);
}

function routing(changes: object): Changes {
  return { spec: { ...written, routing: { ...written.routing, ...changes } } };
}

function vxlan(changes: object): Changes {
  return { spec: { ...written, vxlan: { ...written.vxlan, ...changes } } };
}

test("a new network changes nothing of an old one", async (context) => {
  const scenario = await Scenario.start(context);
  await scenario.checked();
  assert.deepEqual(scenario.environment.lines, []);
});

const unchanged: Readonly<Record<string, Changes>> = {
  "the same program": {},
  "a default written out": vxlan({ port: 4789 }),
  "another order of the peers": vxlan({ bgp: { ...written.vxlan.bgp, peers: ["10.0.7.20", "10.0.7.19"] } }),
  "what only the provider looks at": { timeoutSeconds: 3, tolerateUnreachable: 1 },
};

for (const [what, changes] of Object.entries(unchanged)) {
  test(`${what} changes nothing on a node, and nothing is told`, async (context) => {
    assert.deepEqual(await toldOf(context, changes), []);
  });
}

test("another gateway: the one command, and what becomes of connections", async (context) => {
  assert.deepEqual(await toldOf(context, routing({ gateway: "203.0.113.254" })), [
    "network customers: what changes on its nodes:",
    "#   customers: routing[203.0.113.0/24].gateway: 203.0.113.1 -> 203.0.113.254",
    "# interrupts:",
    "#   customers: outgoing traffic: table 228 sends by 203.0.113.254 instead of 203.0.113.1: outgoing packets take the new way at once, and connections break where the new gateway does not know them",
    "# commands for every node, in this order:",
    "# customers",
    "ip -4 route replace default via 203.0.113.254 dev vxlan228 table 228 protocol 118",
  ]);
});

test("what only the agent's BGP changes has no commands, but interrupts", async (context) => {
  assert.deepEqual(await toldOf(context, vxlan({ bgp: { ...written.vxlan.bgp, holdTime: 9 } })), [
    "network customers: what changes on its nodes:",
    "#   customers: vxlan.bgp.holdTime: 30 -> 9",
    "# interrupts:",
    "#   customers: traffic through the fabric: BGP sessions with 10.0.7.19, 10.0.7.20 are closed and opened again (hold time 30 becomes 9): a peer that keeps no routes over a restart does not know this node until then",
    "# no commands: nothing changes in the kernel",
  ]);
});

test("pod networks that the program gives the router change every network's exceptions", async (context) => {
  assert.deepEqual(await toldOf(context, { podNetworks: ["10.244.0.0/16"] }), [
    "network customers: what changes on its nodes:",
    "#   podNetworks: 10.244.0.0/16, 10.96.0.0/16 -> 10.244.0.0/16",
    "# interrupts:",
    "#   customers: traffic with pods, services and nodes: 10.96.0.0/16 is no exception any more: packets between it and 203.0.113.0/24 leave by the gateway",
    "# commands for every node, in this order:",
    "# customers",
    "ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main",
    "ip -4 rule del priority 3000 to 10.96.0.0/16 fwmark $MARK_228/0x3ff0 protocol 118 lookup main",
  ]);
});

test("a segment or a name that makes another network of it removes the old one first", async (context) => {
  const removal = [
    "#   customers: removed",
    "# interrupts:",
    "#   customers: all traffic: vxlan228 is removed: 203.0.113.0/24 cannot be reached through this node any more",
  ];
  const scenario = await Scenario.start(context);
  const segment = await told(scenario, vxlan({ vni: 229 }));
  assert.deepEqual(segment.slice(0, 4), [
    "network customers: the old network is removed from every node before any gets the new one, whose commands preview shows:",
    ...removal,
  ]);
  assert.ok(segment.includes("ip link del dev vxlan228"));
  assert.ok(segment.includes("nft delete table inet vlan_router"));
  assert.deepEqual(
    segment.filter((line) => line.includes("vxlan229")),
    [],
  );
  const name = [...(await told(scenario, { name: "gold" }))];
  assert.deepEqual(name.slice(0, 4), [
    "network gold: the old network is removed from every node before any gets the new one, whose commands preview shows:",
    ...removal,
  ]);
});

const tenants: NetworkSpec = {
  type: "vxlan",
  vxlan: { vni: 300, nodeNet: "10.0.9.0/24", port: 4789, remotes: ["10.0.9.20"] },
  routing: [
    {
      cidr: "198.51.100.0/24",
      gateway: "198.51.100.1",
      onlink: false,
      returnPath: "auto",
      arpAnnouncer: { enabled: true, interval: 60 },
    },
  ],
};

test("the cluster's other networks keep their part of the nft table, and their underlays are exceptions", async (context) => {
  const scenario = await Scenario.start(context);
  const metadata = { name: "tenants" };
  scenario.server.put("publicnetworks", { apiVersion, kind: "PublicNetwork", metadata, spec: tenants });
  const lines = await told(scenario, vxlan({ vni: 229 }));
  assert.ok(lines.includes("nft replace table inet vlan_router"));
  assert.ok(lines.includes("ip -4 rule del priority 3000 from 203.0.113.0/24 to 10.0.9.0/24 protocol 118 lookup main"));
  assert.deepEqual(
    lines.filter((line) => line.includes("vxlan300")),
    [],
  );
});

test("a network that takes the prefix of another of the cluster over is told with it", async (context) => {
  const scenario = await Scenario.start(context);
  const spec = { ...tenants, routing: [{ ...normal.routing[0], replaces: "customers" }] };
  const olds = await scenario.checked({ name: "tenants", spec });
  const metadata = { name: "customers" };
  scenario.server.put("publicnetworks", { apiVersion, kind: "PublicNetwork", metadata, spec: normal });
  const lines = await told(scenario, { name: "tenants", spec }, { ...olds, spec: tenants });
  assert.ok(
    lines.some((line) =>
      line.includes(
        "outgoing traffic: replies from 203.0.113.0/24 leave by vxlan300 (table 300) instead of vxlan228 (table 228)",
      ),
    ),
    lines.join("\n"),
  );
});

test("pod networks of the cluster's own router have changed before, so they are no change of the network", async (context) => {
  const scenario = await Scenario.start(context);
  const { podNetworks: _, ...news } = scenario.arguments();
  const { inputs } = await scenario.networkState.check({}, news);
  scenario.server.put("vlanrouters", { ...router, spec: { podNetworks: ["10.244.0.0/16"] } });
  scenario.environment.lines.length = 0;
  assert.deepEqual((await scenario.networkState.check(inputs as NetworkStateInputs, news)).failures, []);
  assert.deepEqual(scenario.environment.lines, []);
});

test("what is not known yet is told at deployment", async (context) => {
  assert.deepEqual(await toldOf(context, routing({ gateway: unknownValue })), [
    "network customers: what changes on its nodes is told at deployment, as not all of its values are known yet",
  ]);
});

test("a network with mistakes is told by these alone", async (context) => {
  const scenario = await Scenario.start(context);
  const olds = await scenario.checked();
  const { failures } = await scenario.networkState.check(olds, scenario.arguments(routing({ gateway: "192.0.2.1" })));
  assert.equal(failures.length, 1);
  assert.deepEqual(scenario.environment.lines, []);
});

test("a long change is cut, line by line and as a whole, and says where it stands whole", async (context) => {
  const podNetworks = Array.from({ length: 32 }, (_, index) => `10.${index + 100}.0.0/16`);
  const lines = await toldOf(context, { podNetworks });
  // 34 pod networks come or go, each with an interruption, a rule by prefix and one by mark, among five other lines: 107.
  assert.equal(lines.length, 62);
  assert.equal(lines.at(-1), '# … and 47 lines more, which "vlan-router plan NEW --from OLD" shows');
  assert.equal(
    lines[1],
    `#   podNetworks: 10.244.0.0/16, 10.96.0.0/16 -> ${podNetworks.join(", ")}`.slice(0, 240).concat("…"),
  );
});
