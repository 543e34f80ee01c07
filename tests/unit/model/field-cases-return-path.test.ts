import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type NodeFacts,
  type NodePlan,
  nftRuleset,
  parseConfigurationFile,
  planNode,
  renderRoute,
  renderRule,
} from "../../../model/index.js";
import { seed } from "../../support/seed.js";
import { routeOf } from "./route-lookup.js";
import { address, configurationOf, document, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const pod = "10.244.0.2";
const client = "192.0.2.9";
const vip = "203.0.113.10";

/** The base configuration of the cases, which is the seed file, on node 10.0.7.5. */
function base(facts: Partial<NodeFacts> = {}): NodePlan {
  const parsed = parseConfigurationFile(seed);
  if (!parsed.ok) throw new Error("the seed file has mistakes");
  return planNode(parsed.value, nodeFacts({ addresses: [address("eth0", "10.0.7.5", 24)], ...facts }));
}

/** Without the routes of one network: what is left after its interface went down or was deleted. */
function withoutRoutes(plan: NodePlan, network: string): NodePlan {
  return {
    ...plan,
    networks: plan.networks.map((planned) => (planned.network === network ? { ...planned, routes: [] } : planned)),
  };
}

describe("A1: replies of DNATed connections are routed before they get their public source back", () => {
  test("a local address, IPVS and Cilium have the public source already", () => {
    assert.equal(routeOf(base(), { from: vip, to: client }), "vxlan228 via 203.0.113.1");
    assert.equal(routeOf(base(), { from: "198.51.100.10", to: client }), "vlan220 via 198.51.100.1");
  });

  test("a pod's reply finds the network by the mark of its connection", () => {
    assert.equal(routeOf(base(), { from: pod, to: client, mark: 0x20 }), "vxlan228 via 203.0.113.1");
    assert.equal(routeOf(base(), { from: pod, to: client, mark: 0x10 }), "vlan220 via 198.51.100.1");
    // Bits of kube-proxy and Calico beside ours change nothing.
    assert.equal(routeOf(base(), { from: pod, to: client, mark: 0x1_4020 }), "vxlan228 via 203.0.113.1");
  });

  test("the mark is set on replies whose original destination lies in the prefix, wherever the backend runs", () => {
    const lines = nftRuleset(base().networks.map(({ filter }) => filter)).split("\n");
    assert.deepEqual(
      lines.map((line) => line.trim()).filter((line) => line.includes("203.0.113.0/24 meta mark")),
      [
        "iifname != vxlan228 ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
        "ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark and 0xffffc00f or 0x20",
      ],
    );
  });

  test("by source alone such a reply leaves by the main table", () => {
    const network = vxlanNetwork({}, { returnPath: "source" });
    const plan = planNode(configurationOf(document(network)), nodeFacts());
    assert.equal(routeOf(plan, { from: vip, to: client }), "vxlan228 via 203.0.113.1");
    assert.equal(routeOf(plan, { from: pod, to: client }), "main");
    assert.doesNotMatch(nftRuleset(plan.networks.map(({ filter }) => filter)), /meta mark/);
  });

  test("a network for which no mark is left says so, and is not ready in silence", () => {
    const labels = { a: "yes", b: "yes", c: "yes", d: "yes" };
    const networks = Object.keys(labels).map((label, index) =>
      vlanNetwork(
        { id: 301 + index },
        { cidr: `10.9.${index}.0/24`, gateway: `10.9.${index}.1` },
        { nodeSelector: { [label]: "yes" } },
      ),
    );
    const { networks: planned } = planNode(
      configurationOf({ ...document(...networks), cni: "cilium" }),
      nodeFacts({ labels }),
    );
    assert.deepEqual(
      planned.map(({ conditions }) => conditions),
      [
        undefined,
        undefined,
        undefined,
        [
          {
            reason: "MarksExhausted",
            message:
              "no mark left for table 304: a mask of 0x3000 tells 3 networks apart; set returnPath: source where nothing rewrites the network's addresses",
          },
        ],
      ],
    );
  });
});

describe("A2: rp_filter on an interface without an address", () => {
  const sysctlsOf = (rpFilterAll: number) => base({ rpFilterAll }).networks.flatMap(({ sysctls }) => sysctls);

  test("is 0 on our interfaces, and only there", () => {
    assert.deepEqual(
      sysctlsOf(0).filter(({ name }) => name.includes("ipv4")),
      [
        { name: "net.ipv4.conf.vlan220.rp_filter", value: "0" },
        { name: "net.ipv4.conf.vxlan228.rp_filter", value: "0" },
      ],
    );
  });

  for (const [name, all] of [
    ["strict", 1],
    ["loose", 2],
  ] as const) {
    test(`where all is ${name} it wins over ours: requests are marked too, and our interface validates by the mark`, () => {
      assert.deepEqual(
        sysctlsOf(all).filter(({ name: key }) => key.endsWith("src_valid_mark")),
        [
          { name: "net.ipv4.conf.vlan220.src_valid_mark", value: "1" },
          { name: "net.ipv4.conf.vxlan228.src_valid_mark", value: "1" },
        ],
      );
      const text = nftRuleset(base({ rpFilterAll: all }).networks.map(({ filter }) => filter));
      assert.match(
        text,
        /iifname vxlan228 ct direction original ct original ip daddr 203\.0\.113\.0\/24 meta mark set meta mark and 0xffffc00f or 0x20/,
      );
    });
  }
});

describe("A3: a table that lost its routes", () => {
  const emptied = withoutRoutes(base(), "vxlan228");

  test("stops the packet instead of letting it out by the main table", () => {
    assert.equal(routeOf(emptied, { from: vip, to: client }), "unreachable");
    assert.equal(routeOf(emptied, { from: pod, to: client, mark: 0x20 }), "unreachable");
  });

  test("still lets it reach pods and nodes", () => {
    assert.equal(routeOf(emptied, { from: vip, to: pod }), "main");
    assert.equal(routeOf(emptied, { from: vip, to: "10.0.7.6" }), "main");
  });

  test("leaves the other network alone", () => {
    assert.equal(routeOf(emptied, { from: "198.51.100.10", to: client }), "vlan220 via 198.51.100.1");
  });

  test("an IPv6 network has its guard too", () => {
    const plan = planNode(
      configurationOf({
        podNetworks: ["fd00:10::/64"],
        networks: [vlanNetwork({}, { cidr: "2001:db8:1::/64", gateway: "fe80::1" })],
      }),
      nodeFacts(),
    );
    const packet = { from: "2001:db8:1::10", to: "2001:db8:9::1" };
    assert.equal(routeOf(plan, packet), "vlan220 via fe80::1");
    assert.equal(routeOf(withoutRoutes(plan, "vlan220"), packet), "unreachable");
  });
});

describe("A4: what a public address reaches by the main table", () => {
  const service = "10.96.0.1";
  const node = "10.0.7.6";

  for (const [name, packet, route] of [
    ["a pod", { from: vip, to: pod }, "main"],
    ["a service", { from: vip, to: service }, "main"],
    ["a node of nodeNet", { from: vip, to: node }, "main"],
    ["a pod, with the mark of a reply", { from: pod, to: "10.244.3.3", mark: 0x20 }, "main"],
    ["a node of nodeNet, with the mark of a reply", { from: pod, to: node, mark: 0x20 }, "main"],
  ] as const) {
    test(name, () => assert.equal(routeOf(base(), packet), route));
  }

  test("an address of the second public network is reached by the first one's gateway, and the other way round", () => {
    assert.equal(routeOf(base(), { from: vip, to: "198.51.100.20" }), "vxlan228 via 203.0.113.1");
    assert.equal(routeOf(base(), { from: "198.51.100.10", to: vip }), "vlan220 via 198.51.100.1");
  });

  const vlanToNode = [
    { from: "198.51.100.10", to: node },
    { from: client, to: node, mark: 0x10 },
  ] as const;

  test("a VLAN has the nodeNet of the VXLAN networks beside it, by source and by mark", () => {
    for (const packet of vlanToNode) assert.equal(routeOf(base(), packet), "main");
  });

  test("also where this node carries none of them", () => {
    const elsewhere = vxlanNetwork({}, {}, { nodeSelector: { rack: "b" } });
    const plan = planNode(configurationOf(document(elsewhere, vlanNetwork())), nodeFacts());
    for (const packet of vlanToNode) assert.equal(routeOf(plan, packet), "main");
  });

  test("VLANs alone know no node network: it stands in podNetworks", () => {
    const planOf = (podNetworks: readonly string[]) =>
      planNode(configurationOf({ podNetworks, networks: [vlanNetwork()] }), nodeFacts());
    for (const packet of vlanToNode) {
      assert.equal(routeOf(planOf(["10.244.0.0/16"]), packet), "vlan220 via 198.51.100.1");
      assert.equal(routeOf(planOf(["10.244.0.0/16", "10.0.7.0/24"]), packet), "main");
    }
  });

  test("every network has every podNetwork of its family, before every lookup of a table", () => {
    const podNetworks = ["10.244.0.0/16", "10.96.0.0/16", "fd00:10::/64"];
    const networks = [vxlanNetwork(), vlanNetwork({}, { cidr: "2001:db8:1::/64", gateway: "fe80::1" })];
    const rules = planNode(configurationOf({ podNetworks, networks }), nodeFacts()).networks.flatMap(
      (network) => network.rules,
    );
    const exceptions = rules.filter(({ action }) => action.kind === "lookup" && action.table === 254);
    assert.deepEqual(exceptions.map(renderRule), [
      "ip -6 rule add priority 3000 from 2001:db8:1::/64 to fd00:10::/64 protocol 118 lookup main",
      "ip -6 rule add priority 3000 to fd00:10::/64 fwmark 0x10/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.0.7.0/24 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.244.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 from 203.0.113.0/24 to 10.96.0.0/16 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.0.7.0/24 fwmark 0x20/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.244.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
      "ip -4 rule add priority 3000 to 10.96.0.0/16 fwmark 0x20/0x3ff0 protocol 118 lookup main",
    ]);
    assert.equal(
      rules.every((rule) => exceptions.includes(rule) || rule.priority > 3000),
      true,
    );
  });
});

describe("A7: priorities", () => {
  const own = ["10.0.7.5", vip];

  for (const localPriority of [0, 100]) {
    test(`a packet to a local address is delivered with the local table at ${localPriority}`, () => {
      const plan = base({ localRulePriority: localPriority });
      const surroundings = { local: own, localPriority };
      assert.equal(routeOf(plan, { from: vip, to: "10.0.7.5" }, surroundings), "local");
      assert.equal(routeOf(plan, { from: "198.51.100.10", to: vip }, surroundings), "local");
      assert.equal(routeOf(plan, { from: vip, to: client }, surroundings), "vxlan228 via 203.0.113.1");
    });
  }

  test("where the local table stands behind our rules there are none, and the condition names the way out", () => {
    const plan = base({ localRulePriority: 32_765 });
    assert.deepEqual(
      plan.networks.flatMap(({ rules }) => rules),
      [],
    );
    assert.deepEqual(
      plan.networks.map(({ conditions }) => conditions?.some(({ reason }) => reason === "LocalRuleTooLate")),
      [true, true],
    );
    assert.equal(routeOf(plan, { from: vip, to: vip }, { local: own, localPriority: 32_765 }), "local");
  });

  test("are numbers between the local table under Cilium and the main table, whatever the order in the file", () => {
    const rulesOf = (networks: readonly unknown[], facts: Partial<NodeFacts> = {}) =>
      planNode(configurationOf(document(...networks)), nodeFacts(facts)).networks.flatMap(({ rules }) => rules);
    const rules = rulesOf([vxlanNetwork(), vlanNetwork()]);
    assert.deepEqual([...new Set(rules.map(({ priority }) => priority))].toSorted(), [3000, 3900, 3901, 4016, 4017]);
    assert.deepEqual(rulesOf([vlanNetwork(), vxlanNetwork()]), rules);
    // A restart finds the marks of the rules that it made.
    const marks = rules.flatMap(({ priority, action, mark }) =>
      priority === 3900 && action.kind === "lookup" && mark !== undefined ? [{ table: action.table, mark }] : [],
    );
    assert.equal(marks.length, 2);
    assert.deepEqual(rulesOf([vlanNetwork(), vxlanNetwork()], { marks }), rules);
  });
});

describe("A8: every node has the routing half, whoever owns the address", () => {
  const nodes = ["10.0.7.5", "10.0.7.6"].map((own) => base({ addresses: [address("eth0", own, 24)] }));

  test("the same tables and rules on each", () => {
    const [one, other] = nodes.map(({ networks }) => networks.map(({ routes, rules }) => ({ routes, rules })));
    assert.deepEqual(one, other);
    assert.deepEqual(
      one?.flatMap(({ routes }) => routes.map(renderRoute)),
      [
        "ip -4 route add 198.51.100.0/24 dev vlan220 table 220 protocol 118 scope link",
        "ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118",
        "ip -4 route add 203.0.113.0/24 dev vxlan228 table 228 protocol 118 scope link",
        "ip -4 route add default via 203.0.113.1 dev vxlan228 table 228 protocol 118",
      ],
    );
  });

  test("a node without the parent carries the other network", () => {
    const plan = base({ links: [{ name: "eth0", mtu: 1500, up: true }] });
    assert.deepEqual(
      plan.networks.map(({ network }) => network),
      ["vxlan228"],
    );
    assert.deepEqual(
      plan.unplanned.map(({ network, condition }) => [network, condition]),
      [["vlan220", { reason: "ParentMissing", message: "parent bond0 not found" }]],
    );
    assert.equal(routeOf(plan, { from: vip, to: client }), "vxlan228 via 203.0.113.1");
  });
});

test("A10: a pod's own connections leave by the main table", () => {
  assert.equal(routeOf(base(), { from: pod, to: client }), "main");
  // Marks of an egress gateway (Antrea, Cilium) outside our mask are not ours.
  assert.equal(routeOf(base(), { from: pod, to: client, mark: 0x4000_0001 }), "main");
});
