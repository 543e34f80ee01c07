import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  type NodeFacts,
  type NodePlan,
  type ObservedLink,
  type ObservedState,
  operationText,
  planNode,
  type VxlanLinkPlan,
} from "../../../model/index.js";
import { address, configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

/** The node speaks from its tunnel address, so its peers are of that family. */
const ipv6Bgp = { myAsn: 65001, peerAsn: 65001, peers: ["2001:db8:7::19"] };
const eth0 = { name: "eth0", mtu: 1500, up: true };
const eth1 = { name: "eth1", mtu: 1500, up: true };

function plan(network: unknown, facts: Partial<NodeFacts>): NodePlan {
  return planNode(configurationOf(document(network)), nodeFacts(facts));
}

function linkOf({ networks: [network] }: NodePlan): VxlanLinkPlan {
  assert.equal(network?.link.kind, "vxlan");
  return network?.link as VxlanLinkPlan;
}

function conditionOf({ networks, unplanned: [network] }: NodePlan): unknown {
  assert.deepEqual(networks, []);
  return network?.condition;
}

describe("B5: nodeNet matches two addresses", () => {
  const own = address("eth0", "10.0.7.5", 24);
  const virtual = address("eth0", "10.0.7.50", 32);
  const secondary = address("eth0", "10.0.7.9", 24, { secondary: true });

  test("the node's own address is chosen, not keepalived's /32 and not a secondary one, whatever their order", () => {
    for (const addresses of [
      [own, virtual, secondary],
      [virtual, secondary, own],
    ]) {
      assert.equal(linkOf(plan(vxlanNetwork(), { addresses })).local, "10.0.7.5");
    }
  });

  test("two interfaces: both are named, and nodeInterface decides", () => {
    const facts = { links: [eth0, eth1], addresses: [own, virtual, address("eth1", "10.0.7.77", 24)] };
    assert.deepEqual(conditionOf(plan(vxlanNetwork(), facts)), {
      reason: "AmbiguousVtepAddress",
      message: "nodeNet 10.0.7.0/24 matches eth0 10.0.7.5/24 and eth1 10.0.7.77/24; set vxlan.nodeInterface",
    });
    assert.equal(linkOf(plan(vxlanNetwork({ nodeInterface: "eth0" }), facts)).local, "10.0.7.5");
    assert.equal(linkOf(plan(vxlanNetwork({ nodeInterface: "eth1" }), facts)).local, "10.0.7.77");
  });

  test("a pod's end of a veth pair counts as an interface, and is named", () => {
    const facts = {
      links: [eth0, { name: "veth1a2b", kind: "veth", mtu: 1500, up: true }],
      addresses: [own, address("veth1a2b", "10.0.7.200", 24)],
    };
    assert.deepEqual(conditionOf(plan(vxlanNetwork(), facts)), {
      reason: "AmbiguousVtepAddress",
      message: "nodeNet 10.0.7.0/24 matches eth0 10.0.7.5/24 and veth1a2b 10.0.7.200/24; set vxlan.nodeInterface",
    });
  });

  test("two addresses on one interface: nodeInterface would not help", () => {
    const facts = { addresses: [own, address("eth0", "10.0.7.6", 25)] };
    assert.deepEqual(conditionOf(plan(vxlanNetwork(), facts)), {
      reason: "AmbiguousVtepAddress",
      message: "nodeNet 10.0.7.0/24 matches eth0 10.0.7.5/24 and eth0 10.0.7.6/25; narrow vxlan.nodeNet",
    });
    assert.equal(linkOf(plan(vxlanNetwork({ nodeNet: "10.0.7.4/31" }), facts)).local, "10.0.7.5");
  });

  test("a choice is kept while it is valid, even when a better address appears", () => {
    const ours = {
      name: "vxlan228",
      kind: "vxlan",
      mtu: 1450,
      up: true,
      alias: "vlan-router:vxlan228",
      local: "10.0.7.77",
    };
    const both = [own, address("eth1", "10.0.7.77", 24)];
    assert.equal(linkOf(plan(vxlanNetwork(), { links: [eth0, eth1, ours], addresses: both })).local, "10.0.7.77");
    assert.equal(linkOf(plan(vxlanNetwork(), { links: [eth0, eth1, ours], addresses: [own] })).local, "10.0.7.5");
  });
});

describe("B6: nodeNet matches nothing yet, or the address changes", () => {
  const waiting = { reason: "NoVtepAddress", message: "waiting: no address in 10.0.7.0/24 on an interface that is up" };
  const served = (facts: Partial<NodeFacts>) =>
    planNode(configurationOf(document(vxlanNetwork(), vlanNetwork())), nodeFacts(facts));

  test("the network waits, the other one is served, and the address is taken when it comes", () => {
    const bond0 = { name: "bond0", kind: "bond", mtu: 1500, up: true };
    const late = served({ links: [{ ...eth0, up: false }, bond0], addresses: [address("eth0", "10.0.7.5", 24)] });
    assert.deepEqual(
      late.unplanned.map(({ network, condition }) => [network, condition]),
      [["vxlan228", waiting]],
    );
    assert.deepEqual(
      late.networks.map(({ network }) => network),
      ["vlan220"],
    );
    const without = served({ links: [bond0], addresses: [] });
    assert.deepEqual(without.unplanned[0]?.condition, waiting);
    const come = served({ links: [eth0, bond0], addresses: [address("eth0", "10.0.7.5", 24)] });
    assert.deepEqual(come.unplanned, []);
  });

  test("another interface than the named one does not count", () => {
    const facts = { addresses: [address("eth0", "10.0.7.5", 24)] };
    assert.deepEqual(conditionOf(plan(vxlanNetwork({ nodeInterface: "eth1" }), facts)), {
      reason: "NoVtepAddress",
      message: "waiting: no address in 10.0.7.0/24 on eth1",
    });
  });

  test("a new address is a new VTEP, next hop, BGP identifier and route distinguisher", () => {
    const at = (own: string) => plan(vxlanNetwork(), { addresses: [address("eth0", own, 24)] }).networks[0];
    const [before, after] = [at("10.0.7.5"), at("10.0.7.6")];
    assert.deepEqual(
      [before, after].map((network) => [
        network?.speaker?.vtep,
        network?.speaker?.routerId,
        network?.speaker?.routeDistinguisher,
      ]),
      [
        ["10.0.7.5", "10.0.7.5", "10.0.7.5:228"],
        ["10.0.7.6", "10.0.7.6", "10.0.7.6:228"],
      ],
    );
    assert.deepEqual([before?.rules, before?.routes], [after?.rules, after?.routes]);
  });
});

describe("B17: MTU", () => {
  const underlay = (mtu: number) => ({
    links: [
      { ...eth0, mtu },
      { name: "bond0", kind: "bond", mtu: 1500, up: true },
    ],
  });
  const cases: readonly (readonly [
    name: string,
    network: unknown,
    facts: Partial<NodeFacts>,
    mtu: number,
    message?: string,
  ])[] = [
    ["absent on an underlay of 1500", vxlanNetwork(), underlay(1500), 1450],
    ["absent on an underlay of 9000", vxlanNetwork(), underlay(9000), 8950],
    ["absent on an underlay of 1400", vxlanNetwork(), underlay(1400), 1350],
    [
      "1500 on an underlay of 1500",
      vxlanNetwork({ mtu: 1500 }),
      underlay(1500),
      1450,
      "vxlan.mtu 1500 needs 1550 on eth0, which has 1500; 1450 is used",
    ],
    ["1500 on an underlay of 1550", vxlanNetwork({ mtu: 1500 }), underlay(1550), 1500],
    [
      "absent on an IPv6 underlay of 1500",
      vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: ipv6Bgp }),
      { ...underlay(1500), addresses: [address("eth0", "2001:db8:7::5", 64)] },
      1430,
    ],
    [
      "1440 on an IPv6 underlay of 1500",
      vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: ipv6Bgp, mtu: 1440 }),
      { ...underlay(1500), addresses: [address("eth0", "2001:db8:7::5", 64)] },
      1430,
      "vxlan.mtu 1440 needs 1510 on eth0, which has 1500; 1430 is used",
    ],
    [
      "a VLAN of 9000 on a bond of 1500",
      vlanNetwork({ mtu: 9000 }),
      underlay(1500),
      1500,
      "vlan.mtu 9000 needs 9000 on bond0, which has 1500; 1500 is used",
    ],
    ["absent for a VLAN on a bond of 1500", vlanNetwork(), underlay(1500), 1500],
  ];
  for (const [name, network, facts, mtu, message] of cases) {
    test(`${name}: ${mtu}`, () => {
      const [planned] = plan(network, facts).networks;
      assert.equal(planned?.link.mtu, mtu);
      const tooLarge = planned?.conditions?.filter(({ reason }) => reason === "MtuTooLarge") ?? [];
      assert.deepEqual(tooLarge, message === undefined ? [] : [{ reason: "MtuTooLarge", message }]);
    });
  }

  test("a number that no segment has is refused", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 575 }), vlanNetwork({ mtu: 65_536 }))), [
      "networks[0].vxlan.mtu: 575 is out of range; write a whole number from 576 to 65535",
      "networks[1].vlan.mtu: 65536 is out of range; write a whole number from 576 to 65535",
    ]);
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ mtu: 576 }), vlanNetwork({ mtu: 65_535 }))), []);
  });
});

describe("B18: UDP port and VNI in use", () => {
  const nothing: ObservedState = { links: [], addresses: [], routes: [], rules: [], sysctls: {}, forwarding: {} };
  const foreign = (name: string, vni: number, port: number, change: object = {}): ObservedLink => ({
    name,
    kind: "vxlan",
    mtu: 1450,
    up: true,
    vxlan: { vni, port, learning: false, ...change },
  });

  function outcome(vxlan: Record<string, unknown>, links: readonly ObservedLink[]) {
    const diff = diffPlan({ ...nothing, links }, plan(vxlanNetwork(vxlan), {}));
    const commands = [
      ...diff.departed,
      ...diff.networks.flatMap(({ rules, link, additions, removals }) => [
        ...rules,
        ...link,
        ...additions,
        ...removals,
      ]),
    ];
    return {
      made: commands.some((operation) => operationText(operation).startsWith("ip link add")),
      touched: commands.some((operation) => links.some(({ name }) => operationText(operation).includes(name))),
      conditions: diff.networks.flatMap(({ conflicts }) => conflicts),
    };
  }

  test("a VNI on the port of another's interface is refused, and the interface is left alone", () => {
    assert.deepEqual(outcome({ vni: 4096 }, [foreign("vxlan.calico", 4096, 4789)]), {
      made: false,
      touched: false,
      conditions: [
        {
          reason: "SegmentInUse",
          message:
            "VNI 4096 on port 4789 belongs to interface vxlan.calico, which was not made by this agent; remove vxlan.calico first",
        },
      ],
    });
  });

  test("the port of an interface in metadata mode is refused", () => {
    const cilium = foreign("cilium_vxlan", 0, 8472, { external: true });
    const held = {
      made: false,
      touched: false,
      conditions: [
        {
          reason: "PortInUse",
          message:
            "UDP port 8472 is held by cilium_vxlan, which was not made by this agent; choose another vxlan.port, on the peers too",
        },
      ],
    };
    assert.deepEqual(outcome({ port: 8472 }, [cilium]), held);
    // It takes the port as soon as it comes up, which ours would then prevent.
    assert.deepEqual(outcome({ port: 8472 }, [{ ...cilium, up: false }]), held);
    assert.deepEqual(outcome({}, [cilium]), { made: true, touched: false, conditions: [] });
  });

  test("what the kernel takes is taken: another VNI on the port, and the VNI on another port", () => {
    assert.deepEqual(outcome({ vni: 4096 }, [foreign("vxlan.calico", 4097, 4789)]), {
      made: true,
      touched: false,
      conditions: [],
    });
    assert.deepEqual(outcome({ vni: 4096, port: 4790 }, [foreign("vxlan.calico", 4096, 4789)]), {
      made: true,
      touched: false,
      conditions: [],
    });
  });

  test("the declared CNI says it before any node is asked", () => {
    const withCni = (network: unknown, cni: string) => mistakesOf({ ...document(network), cni });
    assert.deepEqual(withCni(vxlanNetwork({ vni: 4096 }), "calico"), [
      "networks[0].vxlan.vni: 4096 on port 4789 belongs to vxlan.calico of Calico; choose another VNI or another vxlan.port",
    ]);
    assert.deepEqual(withCni(vxlanNetwork({ port: 8472 }), "cilium"), [
      "networks[0].vxlan.port: 8472 is held by cilium_vxlan of Cilium; choose another vxlan.port, on the peers too",
    ]);
  });
});
