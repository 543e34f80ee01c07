import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type NetworkPlan,
  type NodeFacts,
  type NodePlan,
  parseConfigurationFile,
  planNode,
  renderRule,
} from "../../../model/index.js";
import { seed } from "../../support/seed.js";
import { address, configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

function plan(networks: readonly unknown[], facts: Partial<NodeFacts> = {}): NodePlan {
  return planNode(configurationOf(document(...networks)), nodeFacts(facts));
}

function only(result: NodePlan): NetworkPlan {
  const [network] = result.networks;
  if (network === undefined || result.networks.length !== 1) throw new Error(JSON.stringify(result));
  return network;
}

function conditionOf(result: NodePlan): unknown {
  assert.deepEqual(result.networks, []);
  return result.unplanned[0]?.condition;
}

describe("the seed file on a node", () => {
  const parsed = parseConfigurationFile(seed);
  if (!parsed.ok) throw new Error("the seed file has mistakes");
  const [vlan, vxlan] = planNode(parsed.value, nodeFacts()).networks;

  test("interfaces", () => {
    assert.deepEqual(vxlan?.link, {
      kind: "vxlan",
      name: "vxlan228",
      alias: "vlan-router:vxlan228",
      vni: 228,
      port: 4789,
      local: "10.0.7.11",
      mtu: 1500,
      mac: "86:3c:32:dd:76:2b",
      learning: false,
    });
    assert.deepEqual(vlan?.link, {
      kind: "vlan",
      name: "vlan220",
      alias: "vlan-router:vlan220",
      parent: "bond0",
      id: 220,
      mtu: 9000,
    });
  });

  test("routes: the connected one first", () => {
    assert.deepEqual(vxlan?.routes, [
      { family: 4, table: 228, destination: "203.0.113.0/24", device: "vxlan228", onlink: false },
      {
        family: 4,
        table: 228,
        destination: "default",
        gateway: "203.0.113.1",
        device: "vxlan228",
        onlink: false,
      },
    ]);
  });

  test("rules: every exception twice, a guard behind every lookup", () => {
    assert.deepEqual(vxlan?.rules.map(renderRule), [
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.0.7.0/24 fwmark 0x20/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3900 fwmark 0x20/0x3ff0 protocol 118 lookup 228",
      "ip -4 rule add priority 3901 fwmark 0x20/0x3ff0 protocol 118 unreachable",
      "ip -4 rule add priority 4016 from 203.0.113.0/24 protocol 118 lookup 228",
      "ip -4 rule add priority 4017 from 203.0.113.0/24 protocol 118 unreachable",
    ]);
    // A VLAN has no nodeNet of its own.
    assert.deepEqual(
      vlan?.rules.map(renderRule).filter((rule) => rule.includes("10.0.7.0/24")),
      [
        "ip -4 rule add priority 3000 from 198.51.100.0/24 to 10.0.7.0/24 protocol 118 lookup main",
        "ip -4 rule add priority 3000 to 10.0.7.0/24 fwmark 0x10/0x3ff0 protocol 118 lookup main",
      ],
    );
  });

  test("sysctls of our interface alone", () => {
    assert.deepEqual(vxlan?.sysctls, [
      { name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" },
      { name: "net.ipv6.conf.vxlan228.accept_ra", value: "0" },
      { name: "net.ipv6.conf.vxlan228.autoconf", value: "0" },
    ]);
  });

  test("filter and announcements", () => {
    assert.deepEqual(vxlan?.filter, {
      device: "vxlan228",
      prefixes: ["203.0.113.0/24"],
      mark: { value: 0x20, mask: 0x3ff0 },
      markDirection: "reply",
      segmentFilter: true,
    });
    assert.deepEqual(vxlan?.announcements, [
      { family: 4, prefix: "203.0.113.0/24", gateway: "203.0.113.1", enabled: true, interval: 60 },
    ]);
  });

  test("speaker", () => {
    assert.deepEqual(vxlan?.speaker, {
      vni: 228,
      vtep: "10.0.7.11",
      mac: "86:3c:32:dd:76:2b",
      routerId: "10.0.7.11",
      localAsn: 65001,
      peerAsn: 65001,
      peers: ["10.0.7.19", "10.0.7.20"],
      holdTime: 30,
      routeDistinguisher: "10.0.7.11:228",
      importRouteTargets: ["65001:228"],
      exportRouteTargets: ["65001:228"],
      gobgpPort: 20_228,
    });
    assert.equal(vlan?.speaker, undefined);
  });
});

describe("VTEP address", () => {
  const eth1 = { name: "eth1", mtu: 9000, up: true };
  const links = [...nodeFacts().links, eth1];
  const main = address("eth0", "10.0.7.5", 24);

  const chosen: Readonly<Record<string, readonly [facts: Partial<NodeFacts>, local: string]>> = {
    "a keepalived /32 and a secondary address are passed over": [
      {
        addresses: [
          address("eth0", "10.0.7.50", 32),
          address("eth0", "10.0.7.9", 24, { secondary: true }),
          main,
          address("eth0", "10.0.7.8", 24, { deprecated: true }),
          address("eth0", "10.0.7.7", 24, { tentative: true }),
        ],
      },
      "10.0.7.5",
    ],
    "a /32 that is the only one is taken": [{ addresses: [address("eth0", "10.0.7.50", 32)] }, "10.0.7.50"],
    "an interface that is down does not count": [
      { links: [...nodeFacts().links, { ...eth1, up: false }], addresses: [address("eth1", "10.0.7.77", 24), main] },
      "10.0.7.5",
    ],
    "an interface of ours does not count": [
      {
        links: [...nodeFacts().links, { ...eth1, alias: "vlan-router:other" }],
        addresses: [address("eth1", "10.0.7.77", 24), main],
      },
      "10.0.7.5",
    ],
    "the address in use is kept although another one appeared": [
      {
        links: [...links, { name: "vxlan228", mtu: 1500, up: true, alias: "vlan-router:vxlan228", local: "10.0.7.77" }],
        addresses: [main, address("eth1", "10.0.7.77", 24)],
      },
      "10.0.7.77",
    ],
    "the address in use is kept although a wider one appeared": [
      {
        links: [...links, { name: "vxlan228", mtu: 1500, up: true, alias: "vlan-router:vxlan228", local: "10.0.7.50" }],
        addresses: [main, address("eth1", "10.0.7.50", 32)],
      },
      "10.0.7.50",
    ],
  };
  for (const [name, [facts, local]] of Object.entries(chosen)) {
    test(name, () => {
      const { link } = only(plan([vxlanNetwork()], facts));
      assert.equal(link.kind === "vxlan" && link.local, local);
    });
  }

  test("none: the network waits", () => {
    assert.deepEqual(conditionOf(plan([vxlanNetwork()], { addresses: [address("eth0", "10.0.8.5", 24)] })), {
      reason: "NoVtepAddress",
      message: "waiting: no address in 10.0.7.0/24 on an interface that is up",
    });
  });

  test("two: the message names both and the remedy", () => {
    const addresses = [address("eth1", "10.0.7.77", 24), main];
    assert.deepEqual(conditionOf(plan([vxlanNetwork()], { links, addresses })), {
      reason: "AmbiguousVtepAddress",
      message: "nodeNet 10.0.7.0/24 matches eth0 10.0.7.5/24 and eth1 10.0.7.77/24; set vxlan.nodeInterface",
    });
    const { link } = only(plan([vxlanNetwork({ nodeInterface: "eth1" })], { links, addresses }));
    assert.equal(link.kind === "vxlan" && link.local, "10.0.7.77");
  });
});

test("an interface under the MTU of IPv6 has none of its sysctls, so that none is asked for", () => {
  const sysctls = (mtu: number) =>
    plan([vxlanNetwork()], { links: [{ name: "eth0", mtu, up: true }] }).networks.map(({ sysctls }) =>
      sysctls.map(({ name }) => name),
    );
  assert.deepEqual(sysctls(1329), [["net.ipv4.conf.vxlan228.rp_filter"]]);
  assert.deepEqual(sysctls(1330), [
    ["net.ipv4.conf.vxlan228.rp_filter", "net.ipv6.conf.vxlan228.accept_ra", "net.ipv6.conf.vxlan228.autoconf"],
  ]);
});

describe("what a node cannot carry", () => {
  test("a VLAN without its parent, while the other network is planned", () => {
    const result = plan([vxlanNetwork(), vlanNetwork({ parent: "bond7" })]);
    assert.deepEqual(
      result.networks.map(({ network }) => network),
      ["vxlan228"],
    );
    assert.deepEqual(result.unplanned, [
      {
        network: "vlan220",
        device: "vlan220",
        interfaces: ["vlan220"],
        tables: [220],
        prefixes: ["198.51.100.0/24"],
        rules: [
          ...["10.0.7.0/24", "10.244.0.0/16", "10.96.0.0/16"].map((to) => ({
            family: 4,
            priority: 3000,
            from: "198.51.100.0/24",
            to,
            action: { kind: "lookup", table: 254 },
          })),
          { family: 4, priority: 4016, from: "198.51.100.0/24", action: { kind: "lookup", table: 220 } },
          { family: 4, priority: 4017, from: "198.51.100.0/24", action: { kind: "unreachable" } },
        ],
        filter: {
          device: "vlan220",
          prefixes: ["198.51.100.0/24"],
          mark: { value: 0x10, mask: 0x3ff0 },
          markDirection: "reply",
          segmentFilter: true,
        },
        condition: { reason: "ParentMissing", message: "parent bond7 not found" },
      },
    ]);
  });

  test("an interface of the same name that is not ours", () => {
    const links = [...nodeFacts().links, { name: "vlan220", kind: "vlan", mtu: 1500, up: true }];
    assert.deepEqual(conditionOf(plan([vlanNetwork()], { links })), {
      reason: "ForeignInterface",
      message: "interface vlan220 exists and was not made by this agent; remove it or choose another segment",
    });
  });

  test("but a VXLAN interface with our VNI and MAC is ours, though its marks are gone", () => {
    const bare = { name: "vxlan228", kind: "vxlan", vni: 228, port: 4789, mtu: 1500, up: false } as const;
    const links = [...nodeFacts().links, { ...bare, mac: "86:3c:32:dd:76:2b" }];
    assert.equal(plan([vxlanNetwork()], { links }).unplanned.length, 0);
  });

  test("networks for other nodes are not part of the plan", () => {
    const network = vxlanNetwork({}, {}, { nodeSelector: { rack: "a", role: "edge" } });
    assert.deepEqual(plan([network], { labels: { rack: "a" } }), { networks: [], unplanned: [] });
    assert.equal(plan([network], { labels: { rack: "a", role: "edge", zone: "z" } }).networks.length, 1);
  });

  test("a node without IPv6 has no sysctls of it", () => {
    const { sysctls } = only(plan([vxlanNetwork()], { ipv6: false }));
    assert.deepEqual(sysctls, [{ name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" }]);
  });

  test("rules, where the local table is looked up after them", () => {
    const network = only(plan([vxlanNetwork()], { localRulePriority: 32_765 }));
    assert.deepEqual(network.rules, []);
    assert.deepEqual(network.conditions, [
      {
        reason: "LocalRuleTooLate",
        message:
          "the local table is looked up at priority 32765, after our rules (3000); no rules are set; move it with: ip rule add priority 0 lookup local && ip rule del priority 32765 lookup local",
      },
    ]);
    assert.equal(only(plan([vxlanNetwork()], { localRulePriority: 100 })).conditions, undefined);
    assert.deepEqual(only(plan([vxlanNetwork()], { localRulePriority: 3000 })).rules, []);
  });
});

describe("MTU", () => {
  const eth0 = (mtu: number) => ({ links: [{ name: "eth0", mtu, up: true }, ...nodeFacts().links.slice(1)] });
  const underIpv6 = vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: undefined, remotes: ["2001:db8:7::6"] });
  const ipv6 = { addresses: [address("eth0", "2001:db8:7::11", 64)] };
  const below = (path: string, device: string, mtu: number, lower: string, has: number, needs: number) =>
    `${device} carries ${mtu} bytes, for ${lower} has ${has}: larger packets of a gateway that sends 1500 are lost, and TCP is ` +
    `clamped to what fits; give ${lower} an MTU of ${needs}, or set ${path} to ${mtu} where nothing in the segment sends more`;

  interface MtuCase {
    readonly title: string;
    readonly network: unknown;
    readonly facts?: Partial<NodeFacts>;
    readonly mtu: number;
    readonly condition?: { readonly reason: string; readonly message: string };
    /** TCP is told what fits. */
    readonly clamped: boolean;
  }
  const cases: readonly MtuCase[] = [
    { title: "of a large underlay", network: vxlanNetwork(), facts: eth0(9000), mtu: 8950, clamped: false },
    { title: "just enough", network: vxlanNetwork(), facts: eth0(1550), mtu: 1500, clamped: false },
    { title: "as configured, in the whole segment", network: vxlanNetwork({ mtu: 1400 }), mtu: 1400, clamped: false },
    {
      title: "configured larger than the underlay carries",
      network: vxlanNetwork({ mtu: 1500 }),
      facts: eth0(1500),
      mtu: 1450,
      condition: {
        reason: "MtuTooLarge",
        message: "vxlan.mtu 1500 needs 1550 on eth0, which has 1500; 1450 is used",
      },
      clamped: true,
    },
    {
      title: "less than hosts send",
      network: vxlanNetwork(),
      facts: eth0(1500),
      mtu: 1450,
      condition: {
        reason: "MtuBelowSegment",
        message: below("vxlan.mtu", "vxlan228", 1450, "eth0", 1500, 1550),
      },
      clamped: true,
    },
    {
      title: "less than hosts send, over IPv6",
      network: underIpv6,
      facts: { ...eth0(1500), ...ipv6 },
      mtu: 1430,
      condition: {
        reason: "MtuBelowSegment",
        message: below("vxlan.mtu", "vxlan228", 1430, "eth0", 1500, 1570),
      },
      clamped: true,
    },
    { title: "of a VLAN as configured", network: vlanNetwork({ mtu: 1500 }), mtu: 1500, clamped: false },
    {
      title: "of a VLAN configured larger than the parent's",
      network: vlanNetwork({ mtu: 9100 }),
      mtu: 9000,
      condition: {
        reason: "MtuTooLarge",
        message: "vlan.mtu 9100 needs 9100 on bond0, which has 9000; 9000 is used",
      },
      clamped: true,
    },
    {
      title: "of a VLAN on a parent with less than hosts send",
      network: vlanNetwork(),
      facts: { links: [{ name: "bond0", kind: "bond", mtu: 1400, up: true }] },
      mtu: 1400,
      condition: {
        reason: "MtuBelowSegment",
        message: below("vlan.mtu", "vlan220", 1400, "bond0", 1400, 1500),
      },
      clamped: true,
    },
  ];
  for (const { title, network, facts, mtu, condition, clamped } of cases) {
    test(`${title}: ${mtu}`, () => {
      const planned = only(plan([network], facts));
      assert.equal(planned.link.mtu, mtu);
      assert.deepEqual(planned.conditions, condition === undefined ? undefined : [condition]);
      assert.equal(planned.filter.clampMtu, clamped ? mtu : undefined);
    });
  }
});

describe("return path", () => {
  test("strict rp_filter: requests are marked too, and our interface validates by the mark", () => {
    const network = only(plan([vxlanNetwork()], { rpFilterAll: 1 }));
    assert.equal(network.filter.markDirection, "both");
    assert.deepEqual(network.sysctls, [
      { name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" },
      { name: "net.ipv4.conf.vxlan228.src_valid_mark", value: "1" },
      { name: "net.ipv6.conf.vxlan228.accept_ra", value: "0" },
      { name: "net.ipv6.conf.vxlan228.autoconf", value: "0" },
    ]);
  });

  test("returnPath: source has no marks at all", () => {
    const network = only(plan([vxlanNetwork({}, { returnPath: "source" })], { rpFilterAll: 1 }));
    assert.equal(network.filter.mark, undefined);
    assert.equal(
      network.rules.some((rule) => rule.mark !== undefined),
      false,
    );
    assert.equal(
      network.sysctls.some(({ name }) => name.endsWith("src_valid_mark")),
      false,
    );
  });

  test("a network keeps the mark that the kernel's rules hold", () => {
    const marks = [{ table: 228, mark: { value: 0x70, mask: 0x3ff0 } }];
    assert.deepEqual(only(plan([vxlanNetwork()], { marks })).filter.mark, { value: 0x70, mask: 0x3ff0 });
  });

  test("a subnet with a table of its own has a mark of its own", () => {
    const routing = [
      { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
      { cidr: "192.0.2.0/24", gateway: "192.0.2.1", table: 1228 },
      { cidr: "2001:db8:1::/64", gateway: "fe80::1", returnPath: "source" },
    ];
    const { filter } = only(plan([vxlanNetwork({}, {}, { routing })]));
    assert.deepEqual(filter.prefixes, ["192.0.2.0/24", "203.0.113.0/24", "2001:db8:1::/64"]);
    assert.deepEqual(filter.mark, { value: 0x20, mask: 0x3ff0 });
    assert.deepEqual(filter.prefixMarks, [
      { prefix: "203.0.113.0/24", mark: { value: 0x10, mask: 0x3ff0 } },
      { prefix: "2001:db8:1::/64" },
    ]);
  });
});

test("a node that is a peer or a remote itself does not name itself", () => {
  const facts = { addresses: [address("eth0", "10.0.7.19", 24)] };
  assert.deepEqual(only(plan([vxlanNetwork()], facts)).speaker?.peers, ["10.0.7.20"]);
  const learning = vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.20", "10.0.7.19", "10.0.7.6"] });
  const network = only(plan([learning], facts));
  assert.deepEqual(network.flood, ["10.0.7.20", "10.0.7.6"]);
  assert.equal(network.link.kind === "vxlan" && network.link.learning, true);
});

test("the plan does not depend on any order", () => {
  const networks = [
    vxlanNetwork(),
    vxlanNetwork({ vni: 229 }, { cidr: "203.0.112.0/24", gateway: "203.0.112.1" }),
    vlanNetwork(),
    vlanNetwork(
      { id: 221 },
      {},
      {
        routing: [
          { cidr: "192.0.2.0/25", gateway: "192.0.2.1" },
          { cidr: "192.0.2.128/25", gateway: "192.0.2.129", table: 1221 },
          { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
        ],
      },
    ),
    vlanNetwork({ id: 222, parent: "missing" }, { cidr: "203.0.114.0/24", gateway: "203.0.114.1" }),
  ];
  const facts = nodeFacts({ marks: [{ table: 229, mark: { value: 0x10, mask: 0x3ff0 } }] });
  const podNetworks = ["10.244.0.0/16", "10.96.0.0/16", "fd00::/48"];
  const expected = planNode(configurationOf({ podNetworks, networks }), facts);
  const shuffled = <Item>(items: readonly Item[]) => fc.shuffledSubarray([...items], { minLength: items.length });
  fc.assert(
    fc.property(shuffled(networks), shuffled(podNetworks), shuffled(facts.links), (order, pods, links) => {
      const reordered = order.map((network) => ({
        ...network,
        routing: Array.isArray(network.routing) ? network.routing.toReversed() : network.routing,
      }));
      const actual = planNode(configurationOf({ podNetworks: pods, networks: reordered }), { ...facts, links });
      assert.deepEqual(actual, expected);
    }),
  );
});

test("a second network leaves the first as it is", () => {
  const first = only(plan([vxlanNetwork()]));
  const marks = [{ table: 228, mark: first.filter.mark as { value: number; mask: number } }];
  const both = plan([vxlanNetwork(), vlanNetwork({ id: 100 })], { marks });
  assert.deepEqual(
    both.networks.find(({ network }) => network === "vxlan228"),
    first,
  );
});
