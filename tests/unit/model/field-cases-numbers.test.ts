import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { planNode, renderLink, renderRoute } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const second = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };

describe("B1: a VNI or VLAN id that is a table of the kernel", () => {
  const refused: readonly (readonly [network: unknown, message: string])[] = [
    [vxlanNetwork({ vni: 254 }), "vxlan.vni: 254 is the kernel's main routing table; set routing.table"],
    [vlanNetwork({ id: 253 }), "vlan.id: 253 is the kernel's default routing table; set routing.table"],
    [vxlanNetwork({ vni: 255 }), "vxlan.vni: 255 is the kernel's local routing table; set routing.table"],
    // As a number of a segment 0 is out of range anyway.
    [vxlanNetwork({ vni: 0 }), "vxlan.vni: 0 is out of range; write a whole number from 1 to 16777215"],
    [vlanNetwork({ id: 0 }), "vlan.id: 0 is out of range; write a whole number from 1 to 4094"],
    [
      vlanNetwork({}, { table: 254 }),
      "routing.table: 254 is the kernel's main routing table; choose another number, such as 1000 + it",
    ],
    [vlanNetwork({}, { table: 0 }), "routing.table: 0 is out of range; write a whole number from 1 to 4294967295"],
  ];
  for (const [network, message] of refused) {
    test(message, () => assert.deepEqual(mistakesOf(document(network)), [`networks[0].${message}`]));
  }

  test("one of two subnets without a table of its own is enough", () => {
    const routing = [
      { cidr: "198.51.100.0/24", gateway: "198.51.100.1", table: 1254 },
      { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
    ];
    assert.deepEqual(mistakesOf(document(vlanNetwork({ id: 254 }, {}, { routing }))), [
      "networks[0].vlan.id: 254 is the kernel's main routing table; set routing.table",
    ]);
  });

  test("with a table of its own it is accepted, and the interface keeps the number", () => {
    const configuration = configurationOf(document(vxlanNetwork({ vni: 254 }, { table: 1254 })));
    const [network] = planNode(configuration, nodeFacts()).networks;
    assert.equal(network?.link.name, "vxlan254");
    assert.deepEqual(network?.routes.map(renderRoute), [
      "ip -4 route add 203.0.113.0/24 dev vxlan254 table 1254 protocol 118 scope link",
      "ip -4 route add default via 203.0.113.1 dev vxlan254 table 1254 protocol 118",
    ]);
  });

  test("the numbers beside them are accepted", () => {
    const networks = [vxlanNetwork({ vni: 252 }), vlanNetwork({ id: 256 })];
    assert.deepEqual(mistakesOf(document(...networks)), []);
  });
});

describe("B2: one number from two number spaces", () => {
  test("VNI 228 and VLAN 228 are one table", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork(), vlanNetwork({ id: 228 }))), [
      "networks[1].vlan.id: 228 is the routing table that networks[0].vxlan.vni already uses; set routing.table",
    ]);
    assert.deepEqual(mistakesOf(document(vlanNetwork({ id: 228 }), vxlanNetwork())), [
      "networks[1].vxlan.vni: 228 is the routing table that networks[0].vlan.id already uses; set routing.table",
    ]);
    assert.deepEqual(mistakesOf(document(vxlanNetwork(), vlanNetwork({ id: 228 }, { table: 1228 }))), []);
  });

  test("a table that is written meets a number", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork(), vlanNetwork({}, { table: 228 }))), [
      "networks[1].routing.table: 228 is the routing table that networks[0].vxlan.vni already uses; choose another number",
    ]);
  });

  test("tables are counted by family", () => {
    const ipv6 = { cidr: "2001:db8:1::/64", gateway: "fe80::1" };
    assert.deepEqual(mistakesOf(document(vxlanNetwork(), vlanNetwork({ id: 228 }, ipv6))), []);
  });

  test("one VNI on two UDP ports: the kernel takes it, our interface would be one", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork(), vxlanNetwork({ port: 4790 }, second, { name: "other" }))), [
      "networks[1].vxlan.vni: 228 is already networks[0].vxlan.vni; give one of them another VNI: both would be the interface vxlan228",
    ]);
  });
});

describe("B7: names of interfaces", () => {
  test("do not hold the parent's, which would not fit", () => {
    const configuration = configurationOf(document(vlanNetwork({ parent: "enp130s0f0np0", id: 4093 })));
    const links = [{ name: "enp130s0f0np0", mtu: 1500, up: true }];
    const [network] = planNode(configuration, nodeFacts({ links })).networks;
    assert.ok(network !== undefined);
    assert.equal(
      renderLink(network.link)[0],
      "ip link add link enp130s0f0np0 name vlan4093 mtu 1500 group 118118118 type vlan id 4093",
    );
  });

  test("the longest has 13 of 15 characters", () => {
    const [network] = planNode(configurationOf(document(vxlanNetwork({ vni: 16_777_215 }))), nodeFacts()).networks;
    assert.equal(network?.link.name, "vxlan16777215");
  });

  test("one VLAN id on two parents is refused", () => {
    const networks = [vlanNetwork(), vlanNetwork({ parent: "bond1" }, second, { name: "other" })];
    assert.deepEqual(mistakesOf(document(...networks)), [
      "networks[1].vlan.id: 220 is already networks[0].vlan.id; give one of them another VLAN id: both would be the interface vlan220",
    ]);
    const other = vlanNetwork({ parent: "bond1", id: 221 }, second);
    assert.deepEqual(mistakesOf(document(vlanNetwork(), other)), []);
  });

  test("a parent that is no name of an interface is refused, not truncated", () => {
    const longest = "write 1 to 15 characters without space, slash or colon, such as bond0";
    assert.deepEqual(mistakesOf(document(vlanNetwork({ parent: "enp130s0f0np0.40" }))), [
      `networks[0].vlan.parent: enp130s0f0np0.40 is not an interface name; ${longest}`,
    ]);
    assert.deepEqual(mistakesOf(document(vlanNetwork({ parent: "enp130s0f0np0.4" }))), []);
  });
});

describe("B11: several subnets on one VLAN", () => {
  const subnets = [
    { cidr: "198.51.100.0/25", gateway: "198.51.100.1" },
    { cidr: "203.0.113.0/28", gateway: "203.0.113.1", table: 1220 },
  ];

  test("stand in one network, the second with a table of its own: one interface, two routes to the outside", () => {
    const configuration = configurationOf(document(vlanNetwork({}, {}, { routing: subnets })));
    const { networks } = planNode(configuration, nodeFacts());
    assert.deepEqual(
      networks.map(({ link }) => link.name),
      ["vlan220"],
    );
    assert.deepEqual(networks[0]?.routes.map(renderRoute), [
      "ip -4 route add 198.51.100.0/25 dev vlan220 table 220 protocol 118 scope link",
      "ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118",
      "ip -4 route add 203.0.113.0/28 dev vlan220 table 1220 protocol 118 scope link",
      "ip -4 route add default via 203.0.113.1 dev vlan220 table 1220 protocol 118",
    ]);
  });

  test("without a table of its own the second is refused", () => {
    const routing = subnets.map(({ cidr, gateway }) => ({ cidr, gateway }));
    assert.deepEqual(mistakesOf(document(vlanNetwork({}, {}, { routing }))), [
      "networks[0].routing[1].cidr: 203.0.113.0/28 is the second IPv4 subnet in table 220, after routing[0]; set routing[1].table to a number of its own",
    ]);
    const same = subnets.map((subnet) => ({ ...subnet, table: 1220 }));
    assert.deepEqual(mistakesOf(document(vlanNetwork({}, {}, { routing: same }))), [
      "networks[0].routing[1].table: 1220 is the second IPv4 subnet in table 1220, after routing[0]; set routing[1].table to a number of its own",
    ]);
  });

  test("as two networks they are refused, with the way to write them", () => {
    const [first, other] = subnets;
    for (const [networks, key, value] of [
      [[vlanNetwork({}, first), vlanNetwork({}, other, { name: "other" })], "vlan.id", 220],
      [[vxlanNetwork({}, first), vxlanNetwork({}, other, { name: "other" })], "vxlan.vni", 228],
    ] as const) {
      assert.deepEqual(mistakesOf(document(...networks)), [
        `networks[1].${key}: ${value} is already networks[0].${key}; list both subnets under one network, the second with a routing.table of its own`,
      ]);
    }
  });
});
