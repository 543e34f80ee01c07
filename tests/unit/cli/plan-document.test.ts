import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { planDocument } from "../../../cli/plan/plan-document.js";
import type { PlanReport } from "../../../cli/plan/plan-report.js";
import { document, nodeFacts, vlanNetwork, vxlanNetwork } from "../model/samples.js";
import { json } from "./reports.js";

const lists = [
  "errors",
  "warnings",
  "networks",
  "commands",
  "differences",
  "changes",
  "interruptions",
  "conditions",
] as const;

describe("every list is there", () => {
  for (const [outcome, result] of Object.entries({
    "with mistakes": planDocument({ errors: [], warnings: [], networks: [] }, "new.yaml"),
    "without networks": json({ podNetworks: [], networks: [] }),
    "without change": json(document(vlanNetwork()), { from: document(vlanNetwork()) }),
    "on a node": json(document(vlanNetwork()), { from: document(vlanNetwork()), facts: nodeFacts() }),
  })) {
    test(outcome, () => {
      assert.deepEqual(
        Object.keys(result).filter((key) => key !== "node"),
        lists,
      );
      for (const key of lists) assert.ok(Array.isArray(result[key]), key);
    });
  }
});

test("eBGP, several subnets and IPv6 without a node: variables where only the node knows", () => {
  const bgp = { myAsn: 65001, peerAsn: 65100, peers: ["10.0.7.19"] };
  const routing = [
    { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
    { cidr: "2001:db8:1::/64", gateway: "fe80::1", returnPath: "source" },
  ];
  const { networks } = json({ podNetworks: [], networks: [vxlanNetwork({ bgp }, {}, { routing })] });
  assert.deepEqual(networks, [
    {
      name: "vxlan228",
      type: "vxlan",
      segment: 228,
      interface: "vxlan228",
      table: 228,
      gobgpPort: 20228,
      routeDistinguisher: "$VTEP:228",
      routeTargets: { import: ["65001:228", "65100:228"], export: ["65001:228"] },
      subnets: [
        {
          cidr: "203.0.113.0/24",
          gateway: "203.0.113.1",
          table: 228,
          rulePriorities: { exception: 3000, source: 4016, sourceGuard: 4017, mark: 3900, markGuard: 3901 },
          mark: "$MARK/0x3ff0",
        },
        {
          cidr: "2001:db8:1::/64",
          gateway: "fe80::1",
          table: 228,
          rulePriorities: { exception: 3000, source: 4128, sourceGuard: 4129 },
        },
      ],
    },
  ]);
});

test("the network's table is the same in any order of its subnets", () => {
  const routing = [
    { cidr: "203.0.113.0/25", gateway: "203.0.113.1" },
    { cidr: "203.0.113.128/25", gateway: "203.0.113.129", table: 1300 },
  ];
  for (const order of [routing, routing.toReversed()]) {
    const { networks } = json({ podNetworks: [], networks: [vxlanNetwork({}, {}, { routing: order })] });
    assert.deepEqual(
      networks.map(({ table }: (typeof networks)[number]) => table),
      [228],
    );
  }
});

test("on a node that does not carry a network: no commands, no chosen values, and a condition", () => {
  const now = document(
    vlanNetwork({}, {}, { nodeSelector: { role: "edge" } }),
    vxlanNetwork({ nodeNet: "10.9.0.0/24" }),
  );
  const { networks, commands, conditions, node } = json(now, { facts: nodeFacts() });
  assert.deepEqual([node, commands], ["n1", []]);
  assert.deepEqual(
    networks.map(({ name, planned, routeDistinguisher = "none", subnets }: (typeof networks)[number]) => [
      name,
      planned,
      routeDistinguisher,
      subnets[0].mark ?? "none",
    ]),
    [
      ["vlan220", false, "none", "none"],
      ["vxlan228", false, "none", "none"],
    ],
  );
  assert.deepEqual(conditions, [
    {
      network: "vlan220",
      reason: "NotSelected",
      message: "nodeSelector wants role=edge (the node has no such label)",
    },
    {
      network: "vxlan228",
      reason: "NoVtepAddress",
      message: "waiting: no address in 10.9.0.0/24 on an interface that is up",
      remedy: "give the node an address of vxlan.nodeNet on an interface that is up, or keep it out with nodeSelector",
    },
  ]);
});

describe("a change", () => {
  const old = document(vxlanNetwork(), vlanNetwork({}, {}, { nodeSelector: { role: "edge" } }));
  const now = document(vxlanNetwork({ mtu: 1400 }), vlanNetwork({ mtu: 1400 }, {}, { nodeSelector: { role: "edge" } }));
  const network = (name: string, device: string) => ({
    kind: "network",
    network: name,
    commands: [`ip link set dev ${device} mtu 1400`],
  });
  const smaller = (name: string, was: string) => ({
    network: name,
    traffic: "large",
    message: `MTU of ${name} falls from ${was} to 1400: larger packets are dropped until both ends know`,
  });

  test("on any node: each kind of node by its labels", () => {
    const { differences, changes, interruptions } = json(now, { from: old });
    assert.deepEqual(differences, [
      { kind: "changed", network: "vxlan228", path: "vxlan.mtu", to: 1400 },
      { kind: "changed", network: "vlan220", path: "vlan.mtu", to: 1400 },
    ]);
    const [others, edge] = [{ nodeLabels: {} }, { nodeLabels: { role: "edge" } }];
    assert.deepEqual(changes, [
      { ...others, ...network("vxlan228", "vxlan228") },
      { ...edge, ...network("vlan220", "vlan220") },
      { ...edge, ...network("vxlan228", "vxlan228") },
    ]);
    assert.deepEqual(interruptions, [
      { ...others, ...smaller("vxlan228", "$MTU") },
      { ...edge, ...smaller("vlan220", "$MTU") },
      { ...edge, ...smaller("vxlan228", "$MTU") },
    ]);
  });

  test("on a node: its own values, and no labels", () => {
    const { changes, interruptions } = json(now, { from: old, facts: nodeFacts({ labels: { role: "edge" } }) });
    assert.deepEqual(changes, [network("vlan220", "vlan220"), network("vxlan228", "vxlan228")]);
    assert.deepEqual(interruptions, [smaller("vlan220", "9000"), smaller("vxlan228", "1500")]);
  });

  test("removes interfaces, then the nft table (which is a filter too), and rules last", () => {
    const { changes } = json(document(), { from: document(vlanNetwork()) });
    assert.deepEqual(
      changes.map(({ kind, commands }: (typeof changes)[number]) => [kind, commands.at(-1)]),
      [
        ["removal", "ip link del dev vlan220"],
        ["filter", "nft delete table inet vlan_router"],
        ["removal", "ip -4 rule del priority 3000 to 10.96.0.0/16 fwmark $MARK_220/0x3ff0 protocol 118 lookup main"],
      ],
    );
  });

  test("that cannot be planned with the best of nodes has its condition", () => {
    const marked = [1, 2, 3, 4].map((id) =>
      vlanNetwork(
        { id },
        { cidr: `192.0.2.${id * 16}/28`, gateway: `192.0.2.${id * 16 + 1}` },
        id === 4 ? { nodeSelector: { role: "edge", zone: "a" } } : id === 3 ? { nodeSelector: { role: "edge" } } : {},
      ),
    );
    const cilium = { ...document(...marked), cni: "cilium" };
    const { conditions } = json(cilium, { from: { ...document(...marked.slice(0, 3)), cni: "cilium" } });
    assert.deepEqual(conditions, [
      {
        nodeLabels: { role: "edge", zone: "a" },
        network: "vlan4",
        reason: "MarksExhausted",
        message:
          "no mark left for table 4: a mask of 0x3000 tells 3 networks apart; set returnPath: source where nothing rewrites the network's addresses",
      },
    ]);
  });
});

describe("mistakes and warnings", () => {
  const mistake = {
    code: "OutOfRange",
    path: "networks[0].vlan.id",
    value: 5000,
    message: "is out of range",
    remedy: "write a whole number from 1 to 4094",
  } as const;
  const report: PlanReport = {
    errors: [
      { ...mistake, file: "new.yaml", line: 4, column: 26 },
      { ...mistake, code: "Missing", value: undefined, file: "old.yaml" },
    ],
    warnings: [{ ...mistake, code: "RarelyAnnounced", file: "new.yaml" }],
    networks: [],
  };

  test("name their file where it is not the configuration, and their place where it is known", () => {
    const { errors, warnings } = planDocument(report, "new.yaml");
    assert.deepEqual(errors, [
      { ...mistake, line: 4, column: 26 },
      { ...mistake, code: "Missing", value: null, file: "old.yaml" },
    ]);
    assert.deepEqual(warnings, [{ ...mistake, code: "RarelyAnnounced" }]);
  });
});
