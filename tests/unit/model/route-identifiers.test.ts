import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfiguration, planNode, renderMistake } from "../../../model/index.js";
import { address, configurationOf, document, mistakesOf, nodeFacts, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };
const second = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };
const two = (first: object, other: object, vni = 300) => [
  vxlanNetwork({ bgp: { ...bgp, ...first } }),
  vxlanNetwork({ vni, bgp: { ...bgp, ...other } }, second),
];
const warningsOf = (value: unknown) => parseConfiguration(value).warnings.map(renderMistake);

describe("route distinguishers", () => {
  const refused: readonly (readonly [name: string, networks: readonly unknown[], message: string])[] = [
    [
      "two equal ones",
      two({ routeDistinguisher: "10.0.7.5:5" }, { routeDistinguisher: "10.0.7.5:5" }),
      "networks[1].vxlan.bgp.routeDistinguisher: 10.0.7.5:5 is also the route distinguisher of networks[0].vxlan.bgp.routeDistinguisher; write another number in one of them",
    ],
    [
      "one that is written, and one that follows from a router id",
      two({ routerId: "10.0.7.5" }, { routerId: "10.0.7.5", routeDistinguisher: "10.0.7.5:228" }),
      "networks[1].vxlan.bgp.routeDistinguisher: 10.0.7.5:228 is also the route distinguisher of networks[0].vxlan.vni; write another number in one of them",
    ],
  ];
  for (const [name, networks, message] of refused) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), [message]));
  }

  const warning =
    "is the route distinguisher of every node that carries the network, and of equal routes of two nodes a route reflector passes on only one (RFC 7432 section 7.9 wants one per node); leave it out, so that each node has its own, or name the one node in nodeSelector (kubernetes.io/hostname)";

  test("one for all nodes is warned of, unless the network is for one node", () => {
    const network = (change: object) =>
      document(vxlanNetwork({ bgp: { ...bgp, routeDistinguisher: "10.0.7.5:228" } }, {}, { ...change }));
    assert.deepEqual(warningsOf(network({})), [`networks[0].vxlan.bgp.routeDistinguisher: 10.0.7.5:228 ${warning}`]);
    assert.deepEqual(warningsOf(network({ nodeSelector: { "kubernetes.io/hostname": "n1" } })), []);
  });
});

describe("one route distinguisher twice on a node", () => {
  const configuration = configurationOf(document(...two({}, { routeDistinguisher: "10.0.7.5:228" })));
  const node = (vtep: string, links: readonly string[] = []) =>
    nodeFacts({
      addresses: [address("eth0", vtep, 24)],
      links: [
        { name: "eth0", mtu: 1550, up: true },
        ...links.map((name) => ({ name, kind: "vxlan", alias: `vlan-router:${name}`, mtu: 1500, up: true })),
      ],
    });

  test("refuses the second network there, with both named, and leaves the first alone", () => {
    const plan = planNode(configuration, node("10.0.7.5"));
    assert.deepEqual(
      plan.networks.map(({ network, speaker }) => [network, speaker?.routeDistinguisher]),
      [["vxlan228", "10.0.7.5:228"]],
    );
    assert.deepEqual(
      plan.unplanned.map(({ network, condition }) => [network, condition]),
      [
        [
          "vxlan300",
          {
            reason: "RouteDistinguisherClash",
            message:
              "vxlan300 would have the route distinguisher 10.0.7.5:228 that vxlan228 has on this node; change bgp.routeDistinguisher where it is written",
          },
        ],
      ],
    );
  });

  test("refuses the new one where the other is carried already, whatever their names", () => {
    const plan = planNode(configuration, node("10.0.7.5", ["vxlan300"]));
    assert.deepEqual(
      plan.networks.map(({ network }) => network),
      ["vxlan300"],
    );
    assert.deepEqual(
      plan.unplanned.map(({ network, condition }) => [network, condition.reason]),
      [["vxlan228", "RouteDistinguisherClash"]],
    );
  });

  test("is none on a node with another address", () => {
    const plan = planNode(configuration, node("10.0.7.6"));
    assert.deepEqual(
      plan.networks.map(({ network, speaker }) => [network, speaker?.routeDistinguisher]),
      [
        ["vxlan228", "10.0.7.6:228"],
        ["vxlan300", "10.0.7.5:228"],
      ],
    );
    assert.deepEqual(plan.unplanned, []);
  });
});

describe("B3: route targets separate the networks of a fabric", () => {
  const mixed = "too: hosts of the one segment would be taken for the other's";
  const remedy = "set bgp.routeTarget to another in one of them, and on the switches";
  const refused: readonly (readonly [name: string, networks: readonly unknown[], message: string])[] = [
    [
      "written twice",
      two({ routeTarget: "65001:9" }, { routeTarget: "65001:9" }),
      `networks[1].vxlan.bgp.routeTarget: 65001:9 is the route target that networks[0].vxlan.bgp.routeTarget has ${mixed}; ${remedy}`,
    ],
    [
      "written, and another's automatic one",
      two({}, { routeTarget: "65001:228" }),
      `networks[1].vxlan.bgp.routeTarget: 65001:228 is the route target that networks[0].vxlan.vni has ${mixed}; ${remedy}`,
    ],
    [
      "automatic, and another's written one",
      two({ routeTarget: "65001:300" }, {}),
      `networks[1].vxlan.vni: 300 gives the route target 65001:300 that networks[0].vxlan.bgp.routeTarget has ${mixed}; ${remedy}`,
    ],
    [
      "what the peer's AS gives another network in eBGP",
      two({ peerAsn: 65002 }, { peerAsn: 65002, routeTarget: "65002:228" }),
      `networks[1].vxlan.bgp.routeTarget: 65002:228 is the route target that networks[0].vxlan.vni has ${mixed}; ${remedy}`,
    ],
    [
      "what only one of the two imports",
      two({ routeTarget: "65001:9", importRouteTargets: ["65001:7"] }, { routeTarget: "65001:9" }),
      `networks[1].vxlan.bgp.routeTarget: 65001:9 is the route target that networks[0].vxlan.bgp.routeTarget has ${mixed}; ${remedy}`,
    ],
  ];
  for (const [name, networks, message] of refused) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), [message]));
  }

  const accepted: Readonly<Record<string, readonly unknown[]>> = {
    "in another fabric": [
      vxlanNetwork({ bgp: { ...bgp, routeTarget: "65001:9" } }),
      vxlanNetwork(
        { vni: 300, nodeNet: "10.0.8.0/24", bgp: { ...bgp, peers: ["10.0.8.19"], routeTarget: "65001:9" } },
        second,
      ),
    ],
    "exported by both and imported by neither": two(
      { routeTarget: "65001:9", importRouteTargets: ["65001:7"] },
      { routeTarget: "65001:9", importRouteTargets: ["65001:8"] },
    ),
  };
  for (const [name, networks] of Object.entries(accepted)) {
    test(`one target ${name} is accepted`, () => assert.deepEqual(mistakesOf(document(...networks)), []));
  }

  test("another network's in importRouteTargets may be meant, and is warned of", () => {
    const value = document(...two({}, { importRouteTargets: ["65001:300", "65001:228"] }));
    assert.deepEqual(mistakesOf(value), []);
    assert.deepEqual(warningsOf(value), [
      "networks[1].vxlan.bgp.importRouteTargets[1]: 65001:228 is the route target of networks[0].vxlan.vni: the hosts of that network are taken for this one's; keep it if that is meant",
    ]);
  });

  test("an import target that stands twice is refused", () => {
    const network = vxlanNetwork({ bgp: { ...bgp, importRouteTargets: ["65001:228", "65001:7", "65001:228"] } });
    assert.deepEqual(mistakesOf(document(network)), [
      "networks[0].vxlan.bgp.importRouteTargets[2]: 65001:228 is already importRouteTargets[0]; remove one of the two",
    ]);
  });

  test("FRR's target of an AS whose last two bytes are 0 is warned of", () => {
    const network = (asn: number) =>
      document(vxlanNetwork({ bgp: { ...bgp, myAsn: asn, peerAsn: asn, routeTarget: "frr" } }));
    assert.deepEqual(warningsOf(network(65_536)), [
      'networks[0].vxlan.bgp.myAsn: 65536 gives the route target 0:228, as in FRR, and 0 is no AS (RFC 7607): other routers may refuse it; set bgp.routeTarget, such as "65001:228", here and on the peers',
    ]);
    assert.deepEqual(warningsOf(network(65_537)), []);
  });
});

describe("names", () => {
  test("one that is written beside one that follows from the segment", () => {
    const unnamed = vxlanNetwork({ bgp });
    const named = vxlanNetwork({ vni: 300, bgp }, second, { name: "vxlan228" });
    assert.deepEqual(mistakesOf(document(named, unnamed)), [
      "networks[1].vxlan.vni: 228 gives the name vxlan228, which is already taken by networks[0].name; give one of them another name",
    ]);
    assert.deepEqual(mistakesOf(document(unnamed, named)), [
      "networks[1].name: vxlan228 is already taken by networks[0].vxlan.vni; give one of them another name",
    ]);
  });
});
