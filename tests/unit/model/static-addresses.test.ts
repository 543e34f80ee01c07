import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkPoolAddresses,
  cleanUpPlan,
  configurationCommands,
  diffPlan,
  networkCommands,
  type ObservedState,
  operationsOf,
  operationText,
  planChange,
  poolAddresses,
  stateOf,
  stateOfFacts,
  unknownValue,
} from "../../../model/index.js";
import { bare, commandsTo, planOf } from "./planned.js";
import { configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const pin = (address: string, node = "n1") => ({ address, node });
const ipv6 = { cidr: "2001:db8:228::/64", gateway: "fe80::1" };
const pinned = vxlanNetwork(
  {},
  {},
  {
    routing: [
      {
        cidr: "203.0.113.0/24",
        gateway: "203.0.113.1",
        staticAddresses: [pin("203.0.113.20"), pin("203.0.113.10"), pin("203.0.113.30", "n2")],
      },
      { ...ipv6, staticAddresses: [pin("2001:DB8:228:0::10")] },
    ],
  },
);
const additions = [
  "ip address add 203.0.113.10/32 dev vxlan228 noprefixroute metric 118118118",
  "ip address add 203.0.113.20/32 dev vxlan228 noprefixroute metric 118118118",
  "ip -6 address add 2001:db8:228::10/128 dev vxlan228 noprefixroute nodad metric 118118118",
];
const ofAddresses = (commands: readonly string[]) => commands.filter((command) => / address (add|del) /.test(command));

/** After a first pass that made everything. */
function carrying(network: unknown, state = bare): ObservedState {
  return stateOf(planOf(network, state), state);
}

const somebodys = {
  device: "vxlan228",
  family: 4,
  address: "203.0.113.10",
  prefixLength: 24,
  secondary: false,
  deprecated: false,
  tentative: false,
} as const;
const ours = { ...somebodys, prefixLength: 32, metric: 118118118 };

describe("what cannot be pinned", () => {
  const cases: Readonly<Record<string, readonly [network: unknown, mistake: string]>> = {
    "an address of another subnet": [
      vxlanNetwork({}, { staticAddresses: [pin("198.51.100.9")] }),
      "networks[0].routing.staticAddresses[0].address: 198.51.100.9 is not inside 203.0.113.0/24; write an address of this subnet, or pin it in the subnet that holds it",
    ],
    "the broadcast address": [
      vxlanNetwork({}, { staticAddresses: [pin("203.0.113.255")] }),
      "networks[0].routing.staticAddresses[0].address: 203.0.113.255 is the network or broadcast address of 203.0.113.0/24; write an address that a host can have",
    ],
    "the gateway": [
      vxlanNetwork({}, { staticAddresses: [pin("203.0.113.1")] }),
      "networks[0].routing.staticAddresses[0].address: 203.0.113.1 is the gateway of this subnet; write an address that is free",
    ],
    "no address": [
      vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10/32")] }),
      "networks[0].routing.staticAddresses[0].address: 203.0.113.10/32 is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone",
    ],
    "to a name that no node can have": [
      vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10", "gw 1")] }),
      "networks[0].routing.staticAddresses[0].node: gw 1 is not the name of a node; write the name that kubectl get nodes shows, or on a host the agent's node name, such as gw1",
    ],
    "to nobody": [
      vxlanNetwork({}, { staticAddresses: [{ address: "203.0.113.10" }] }),
      "networks[0].routing.staticAddresses[0].node: is missing; write the name of a node, such as gw1",
    ],
    "twice, to two nodes": [
      vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10"), pin("203.0.113.10", "n2")] }),
      "networks[0].routing.staticAddresses[1].address: 203.0.113.10 is already pinned at networks[0].routing.staticAddresses[0].address; pin an address to one node, once",
    ],
    "nothing at all": [
      vxlanNetwork({}, { staticAddresses: [] }),
      "networks[0].routing.staticAddresses: [] is empty; write a list of at least one mapping with address and node",
    ],
  };
  for (const [what, [network, mistake]] of Object.entries(cases)) {
    test(what, () => assert.deepEqual(mistakesOf(document(network)), [mistake]));
  }

  test("an address that a longer prefix of another network routes, there or twice", () => {
    const inner = { cidr: "203.0.113.64/26", gateway: "203.0.113.65" };
    const outer = vxlanNetwork({}, { staticAddresses: [pin("203.0.113.70")] });
    assert.deepEqual(mistakesOf(document(outer, vlanNetwork({}, inner))), [
      "networks[0].routing.staticAddresses[0].address: 203.0.113.70 lies inside the longer prefix 203.0.113.64/26 (networks[1].routing.cidr), which routes it; pin it in that subnet",
    ]);
  });

  test("what is not known yet is let through", () => {
    for (const staticAddresses of [unknownValue, [unknownValue], [{ address: unknownValue, node: unknownValue }]]) {
      const network = { ...vxlanNetwork({}, { staticAddresses }), name: "edge" };
      assert.deepEqual(parseUnknown(network), []);
    }
  });
});

function parseUnknown(network: unknown): readonly string[] {
  return mistakesOf(document(network)).filter((line) => !line.includes("is not known"));
}

test("both sides of a migration may pin an address to one node, not to two", () => {
  const old = vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10")] }, { name: "old" });
  const taker = (node: string) =>
    vlanNetwork(
      {},
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1", replaces: "old", staticAddresses: [pin("203.0.113.10", node)] },
    );
  assert.deepEqual(mistakesOf(document(old, taker("n1"))), []);
  assert.deepEqual(mistakesOf(document(old, taker("n2"))), [
    "networks[1].routing.staticAddresses[0].address: 203.0.113.10 is already pinned at networks[0].routing.staticAddresses[0].address; pin an address to one node, once",
  ]);
});

describe("the addresses of this node", () => {
  test("are installed for themselves alone, sorted, those of other nodes are not", () => {
    assert.deepEqual(ofAddresses(commandsTo(pinned, bare)), additions);
    assert.deepEqual(ofAddresses(commandsTo(pinned, carrying(pinned))), []);
  });

  test("come before the routes and after the interface is up", () => {
    const commands = commandsTo(pinned, bare);
    const place = (part: string) => commands.findIndex((command) => command.includes(part));
    assert.ok(place("link set dev vxlan228 up") < place("address add 203.0.113.10"));
    assert.ok(place("address add 203.0.113.10") < place("route add 203.0.113.0/24"));
  });

  test("are put back one by one", () => {
    const state = carrying(pinned);
    const left = state.addresses.filter(({ address }) => address !== "203.0.113.20");
    assert.deepEqual(commandsTo(pinned, { ...state, addresses: left }), additions.slice(1, 2));
  });

  test("that somebody else has put there count, and stay when they are pinned no more", () => {
    const state = carrying(vxlanNetwork());
    const held = { ...state, addresses: [...state.addresses, somebodys] };
    assert.deepEqual(commandsTo(vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10")] }), held), []);
    assert.deepEqual(commandsTo(vxlanNetwork(), held), []);
  });

  test("go when they are pinned no more, after the routes and rules of what goes with them", () => {
    const state = carrying(pinned);
    assert.deepEqual(ofAddresses(commandsTo(vxlanNetwork(), state)), [
      "ip address del 203.0.113.10/32 dev vxlan228",
      "ip address del 203.0.113.20/32 dev vxlan228",
      "ip -6 address del 2001:db8:228::10/128 dev vxlan228",
    ]);
    const commands = commandsTo(vxlanNetwork(), state);
    assert.equal(
      commands.findLastIndex((command) => command.includes("rule del")) <
        commands.indexOf("ip address del 203.0.113.10/32 dev vxlan228"),
      true,
    );
    assert.deepEqual(commandsTo(vxlanNetwork(), stateOf(planOf(vxlanNetwork(), state), state)), []);
  });

  test("go with an interface of ours, without a word", () => {
    const { operations, goesAlong } = cleanUpPlan(carrying(pinned));
    assert.deepEqual([ofAddresses(operations.map(operationText)), goesAlong], [[], []]);
  });

  test("of IPv6 are left out where the kernel has none", () => {
    const state = stateOfFacts(nodeFacts({ ipv6: false }));
    assert.deepEqual(ofAddresses(commandsTo(pinned, state)), additions.slice(0, 2));
  });

  test("stay while the network cannot be planned, and only as long as they are pinned", () => {
    const state = { ...carrying(pinned), addresses: [ours, { ...ours, address: "203.0.113.99" }] };
    const plan = planOf(pinned, state);
    assert.deepEqual([plan.networks, plan.unplanned[0]?.condition.reason], [[], "NoVtepAddress"]);
    assert.deepEqual(ofAddresses(operationsOf(diffPlan(state, plan)).map(operationText)), [
      "ip address del 203.0.113.99/32 dev vxlan228",
    ]);
  });
});

describe("on an adopted VLAN interface", () => {
  const adopted = { name: "bond0.220", kind: "vlan", mtu: 9000, up: true, parent: "bond0", vlanId: 220 };
  const state = stateOfFacts(nodeFacts({ links: [...nodeFacts().links, adopted] }));
  const network = vlanNetwork({}, { staticAddresses: [pin("198.51.100.10")] });

  test("they are installed, and removed with the network after its routes; the interface stays", () => {
    assert.deepEqual(ofAddresses(commandsTo(network, state)), [
      "ip address add 198.51.100.10/32 dev bond0.220 noprefixroute metric 118118118",
    ]);
    const removal = cleanUpPlan(carrying(network, state)).operations.map(operationText);
    const place = removal.indexOf("ip address del 198.51.100.10/32 dev bond0.220");
    assert.ok(place > removal.findLastIndex((command) => command.includes("route del")));
    assert.deepEqual(
      removal.filter((command) => command.includes("link del")),
      [],
    );
  });
});

test("a preview without a node names whose each address is", () => {
  const [network] = configurationOf(document(pinned)).networks;
  assert.ok(network !== undefined);
  assert.deepEqual(ofAddresses(configurationCommands(network, [])), [
    ...additions.map((command) => `[ "$NODE" != n1 ] || ${command}`),
    '[ "$NODE" != n2 ] || ip address add 203.0.113.30/32 dev vxlan228 noprefixroute metric 118118118',
  ]);
  const [plan] = planOf(pinned).networks;
  assert.ok(plan !== undefined);
  assert.deepEqual(ofAddresses(networkCommands(plan)), additions);
});

test("an address that leaves the node interrupts it, one that comes does not", () => {
  const told = (old: unknown, now: unknown) =>
    planChange(configurationOf(document(old)), configurationOf(document(now)), nodeFacts()).interruptions;
  const on = (node: string) => vxlanNetwork({}, { staticAddresses: [pin("203.0.113.10", node)] });
  assert.deepEqual(told(on("n1"), on("n2")), [
    {
      network: "vxlan228",
      traffic: "all",
      message:
        "the static address 203.0.113.10 leaves this node: its connections break, and it is reached where it is pinned now",
    },
  ]);
  assert.deepEqual(told(on("n2"), on("n1")), []);
});

test("MetalLB's pool holds no pinned address", () => {
  const subnet = { cidr: "203.0.113.0/29", gateway: "203.0.113.1", staticAddresses: [pin("203.0.113.4")] };
  assert.deepEqual(poolAddresses([subnet]), ["203.0.113.2-203.0.113.3", "203.0.113.5-203.0.113.6"]);
  assert.deepEqual(checkPoolAddresses([subnet], ["203.0.113.5-203.0.113.6"]), []);
  assert.deepEqual(checkPoolAddresses([subnet], ["203.0.113.3-203.0.113.5"]), [
    {
      code: "NotAssignable",
      path: "addresses[0]",
      value: "203.0.113.3-203.0.113.5",
      message: "holds 203.0.113.4, which is pinned to node n1 (staticAddresses)",
      remedy: "leave it out of the pool, or out of staticAddresses",
    },
  ]);
});
