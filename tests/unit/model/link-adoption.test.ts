import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diffPlan, type NodePlan, type ObservedState, planNode, stateOfFacts } from "../../../model/index.js";
import { commandsTo, planOf } from "./planned.js";
import { configurationOf, document, nodeFacts, vlanNetwork } from "./samples.js";

const existing = {
  name: "bond0.220",
  kind: "vlan",
  mtu: 9000,
  up: true,
  mac: "02:00:00:00:02:20",
  parent: "bond0",
  vlanId: 220,
} as const;

function stateWith(...links: readonly object[]): ObservedState {
  return stateOfFacts(nodeFacts({ links: [...nodeFacts().links, ...links] as ReturnType<typeof nodeFacts>["links"] }));
}

function planOn(state: ObservedState, network = vlanNetwork()): NodePlan {
  return planOf(network, state);
}

describe("a VLAN interface that is there already", () => {
  test("is used under its own name, without alias, sysctls or any other change of it", () => {
    assert.deepEqual(commandsTo(vlanNetwork(), stateWith(existing)), [
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark 0x10/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x10/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3900 fwmark 0x10/0x3ff0 protocol 118 lookup 220",
      "ip -4 rule add priority 3901 fwmark 0x10/0x3ff0 protocol 118 unreachable",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule add priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
      "nft replace table inet vlan_router",
      "ip -4 route add 198.51.100.0/24 dev bond0.220 table 220 protocol 118 scope link",
      "ip -4 route add default via 198.51.100.1 dev bond0.220 table 220 protocol 118",
    ]);
  });

  test("is set up where it is down", () => {
    assert.equal(commandsTo(vlanNetwork(), stateWith({ ...existing, up: false }))[9], "ip link set dev bond0.220 up");
  });

  test("is used under our name too, when it is not ours", () => {
    const { networks } = planOn(stateWith({ ...existing, name: "vlan220" }));
    assert.deepEqual(
      networks.map(({ link, filter, sysctls }) => [link.kind, link.name, filter.device, sysctls]),
      [["adopted", "vlan220", "vlan220", []]],
    );
  });

  test("is said in the status, also where an MTU is asked for that it has not", () => {
    const [network] = planOn(stateWith(existing), vlanNetwork({ mtu: 1500 })).networks;
    assert.deepEqual(network?.conditions, [
      {
        reason: "AdoptedInterface",
        message:
          "bond0.220 carries VLAN 220 on bond0 already: it is used as it is and stays when the network goes. Its " +
          "sysctls are left to whoever made it; requests that a service proxy rewrites need rp_filter 0 on it",
      },
      {
        reason: "MtuDiffers",
        message: "vlan.mtu 1500 is not set: bond0.220 has 9000 and was not made by this agent; change it there",
      },
    ]);
  });

  test("of another parent or id is another one", () => {
    for (const other of [
      { ...existing, parent: "eth0" },
      { ...existing, vlanId: 221 },
    ]) {
      assert.deepEqual(
        planOn(stateWith(other)).networks.map(({ link }) => [link.kind, link.name]),
        [["vlan", "vlan220"]],
      );
    }
  });

  test("that is a port of a bridge cannot carry routes", () => {
    const { networks, unplanned } = planOn(stateWith({ ...existing, master: "br1" }));
    assert.deepEqual(networks, []);
    assert.deepEqual(
      unplanned.map(({ device, interfaces, condition }) => [device, interfaces, condition]),
      [
        [
          "bond0.220",
          [],
          {
            reason: "InterfaceEnslaved",
            message:
              "bond0.220 carries VLAN 220 on bond0, but it is a port of br1, where no route can use it; take it off",
          },
        ],
      ],
    );
  });

  test("that is ours is not adopted, and one of ours that was renamed is made again under its name", () => {
    const ours = { ...existing, name: "renamed", alias: "vlan-router:vlan220" };
    const state = { ...stateWith(), links: [...stateWith(ours).links, { ...ours, vlan: { id: 220 } }] };
    const commands = commandsTo(vlanNetwork(), state);
    assert.equal(commands.filter((command) => command.startsWith("ip link"))[0], "ip link del dev renamed");
    assert.ok(commands.includes("ip link add link bond0 name vlan220 mtu 9000 group 118118118 type vlan id 220"));
  });

  test("that vanished after the plan was made is a conflict, and nothing of the network is changed", () => {
    const { networks } = diffPlan(stateWith(), planOn(stateWith(existing)));
    assert.deepEqual(
      networks.map(({ link, additions, conflicts }) => [link, additions, conflicts]),
      [
        [
          [],
          [],
          [
            {
              reason: "AdoptedInterfaceLost",
              message: "interface bond0.220, which carried VLAN 220 on bond0, is not there any more",
            },
          ],
        ],
      ],
    );
  });
});

test("a parent that is down is waited for: the kernel sets nothing up on it", () => {
  const links = nodeFacts().links.map((link) => (link.name === "bond0" ? { ...link, up: false } : link));
  const { networks, unplanned } = planNode(configurationOf(document(vlanNetwork())), nodeFacts({ links }));
  assert.deepEqual(networks, []);
  assert.deepEqual(
    unplanned.map(({ condition, interfaces }) => [condition, interfaces]),
    [[{ reason: "ParentDown", message: "waiting: parent bond0 is down" }, ["vlan220"]]],
  );
});
