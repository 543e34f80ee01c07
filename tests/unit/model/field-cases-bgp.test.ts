import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  gobgpPort,
  type NodePlan,
  parseConfiguration,
  parseConfigurationFile,
  planNode,
  renderMistake,
  routeTargets,
  type SpeakerPlan,
  type VxlanNetworkSpec,
} from "../../../model/index.js";
import { sessionDifference } from "../../../model/node-plan/shared-session.js";
import { seed } from "../../support/seed.js";
import { address, configurationOf, document, mistakesOf, nodeFacts, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };
const second = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };

function speakers(plan: NodePlan): readonly SpeakerPlan[] {
  return plan.networks.flatMap(({ speaker }) => speaker ?? []);
}

describe("B3: two networks, same peer address", () => {
  test("share one session: same local address, peer, AS numbers, router id and timers; route targets separate them", () => {
    const configuration = configurationOf(document(vxlanNetwork({ bgp }), vxlanNetwork({ vni: 229, bgp }, second)));
    const shared = {
      vtep: "10.0.7.11",
      peers: ["10.0.7.19"],
      localAsn: 65001,
      peerAsn: 65001,
      routerId: "10.0.7.11",
      holdTime: 30,
    };
    assert.deepEqual(speakers(planNode(configuration, nodeFacts())), [
      {
        ...shared,
        vni: 228,
        mac: "86:3c:32:dd:76:2b",
        routeDistinguisher: "10.0.7.11:228",
        importRouteTargets: ["65001:228"],
        exportRouteTargets: ["65001:228"],
        gobgpPort: 20_228,
      },
      {
        ...shared,
        vni: 229,

        // printf "10.0.7.11 229" with sha256sum gives b0e2faae6a6b…
        mac: "b2:e2:fa:ae:6a:6b",
        routeDistinguisher: "10.0.7.11:229",
        importRouteTargets: ["65001:229"],
        exportRouteTargets: ["65001:229"],
        gobgpPort: 20_229,
      },
    ]);
  });

  const one =
    "and a router keeps one session per address (10.0.7.19); write the same in both, or give this network other peers";
  const refused: readonly (readonly [name: string, earlier: object, later: object, message: string])[] = [
    [
      "another own AS",
      {},
      { bgp: { ...bgp, myAsn: 65002 } },
      `myAsn: 65002 is not the 65001 of networks[0].vxlan.bgp.myAsn, ${one}`,
    ],
    [
      "another AS of the peer",
      {},
      { bgp: { ...bgp, peerAsn: 65002 } },
      `peerAsn: 65002 is not the 65001 of networks[0].vxlan.bgp.peerAsn, ${one}`,
    ],
    [
      "another hold time",
      {},
      { bgp: { ...bgp, holdTime: 9 } },
      `holdTime: 9 is not the 30 of networks[0].vxlan.bgp.holdTime, ${one}`,
    ],
    [
      "another hold time, and the same address by a wider nodeNet",
      {},
      { nodeNet: "10.0.0.0/16", bgp: { ...bgp, holdTime: 9 } },
      `holdTime: 9 is not the 30 of networks[0].vxlan.bgp.holdTime, ${one}`,
    ],
    [
      "another hold time, and the same address by a narrower nodeNet",
      { nodeNet: "10.0.0.0/16" },
      { bgp: { ...bgp, holdTime: 9 } },
      `holdTime: 9 is not the 30 of networks[0].vxlan.bgp.holdTime, ${one}`,
    ],
    [
      "a password in the later one alone",
      {},
      { bgp: { ...bgp, passwordFile: "/etc/bgp/one" } },
      `passwordFile: stands here and not at networks[0].vxlan.bgp.passwordFile, ${one}`,
    ],
    [
      "a password in the earlier one alone",
      { bgp: { ...bgp, passwordFile: "/etc/bgp/one" } },
      {},
      `passwordFile: is missing and stands at networks[0].vxlan.bgp.passwordFile, ${one}`,
    ],
    [
      "another password",
      { bgp: { ...bgp, passwordFile: "/etc/bgp/one" } },
      { bgp: { ...bgp, passwordFile: "/etc/bgp/other" } },
      `passwordFile: is not what stands at networks[0].vxlan.bgp.passwordFile, ${one}`,
    ],
    [
      "BFD in the later one alone",
      {},
      { bgp: { ...bgp, bfd: true } },
      `bfd: is 300/300 ms x 3 and not off as networks[0].vxlan.bgp.bfd, ${one}`,
    ],
    [
      "BFD that is off in the later one",
      { bgp: { ...bgp, bfd: { multiplier: 5 } } },
      { bgp: { ...bgp, bfd: false } },
      `bfd: is off and not 300/300 ms x 5 as networks[0].vxlan.bgp.bfd, ${one}`,
    ],
    [
      "BFD over other hops",
      { bgp: { ...bgp, bfd: true } },
      { bgp: { ...bgp, bfd: { multihop: true } } },
      `bfd: is 300/300 ms x 3, multihop and not 300/300 ms x 3 as networks[0].vxlan.bgp.bfd, ${one}`,
    ],
    [
      "another distance",
      { bgp: { ...bgp, ttlSecurity: 1 } },
      { bgp: { ...bgp, ttlSecurity: 2 } },
      `ttlSecurity: 2 is not the 1 of networks[0].vxlan.bgp.ttlSecurity, ${one}`,
    ],
    [
      "our AS in the path of one alone",
      {},
      { bgp: { ...bgp, allowOwnAs: 1 } },
      `allowOwnAs: 1 stands here and not at networks[0].vxlan.bgp.allowOwnAs, ${one}`,
    ],
    [
      "another hold time from the same source, although the tunnels have separate addresses",
      { bgp: { ...bgp, sourceAddress: "10.255.0.0/24" } },
      { nodeNet: "10.0.8.0/24", bgp: { ...bgp, sourceAddress: "10.255.0.0/24", holdTime: 9 } },
      `holdTime: 9 is not the 30 of networks[0].vxlan.bgp.holdTime, ${one}`,
    ],
    [
      "another router id from the same source, which is in the nodeNet of the network that writes it alone",
      { nodeNet: "10.0.8.0/24", bgp: { ...bgp, sourceAddress: "10.255.0.5", routerId: "10.0.8.5" } },
      { bgp: { ...bgp, sourceAddress: "10.255.0.5" } },
      `routerId: is missing and follows from the VTEP address, which is not the 10.0.8.5 of networks[0].vxlan.bgp.routerId, ${one}`,
    ],
    [
      "another router id",
      { bgp: { ...bgp, routerId: "192.0.2.1" } },
      { bgp: { ...bgp, routerId: "192.0.2.2" } },
      `routerId: 192.0.2.2 is not the 192.0.2.1 of networks[0].vxlan.bgp.routerId, ${one}`,
    ],
    [
      "a router id that is no VTEP address beside one that is",
      {},
      { bgp: { ...bgp, routerId: "192.0.2.2" } },
      `routerId: 192.0.2.2 is not what follows from the VTEP address, as in the network without networks[0].vxlan.bgp.routerId, ${one}`,
    ],
    [
      "a router id that is a VTEP address beside one that is not",
      { bgp: { ...bgp, routerId: "192.0.2.2" } },
      {},
      `routerId: is missing and follows from the VTEP address, which is not the 192.0.2.2 of networks[0].vxlan.bgp.routerId, ${one}`,
    ],
  ];
  for (const [name, earlier, later, message] of refused) {
    test(`${name} is refused`, () => {
      const networks = [vxlanNetwork({ bgp, ...earlier }), vxlanNetwork({ vni: 229, bgp, ...later }, second)];
      assert.deepEqual(mistakesOf(document(...networks)), [`networks[1].vxlan.bgp.${message}`]);
    });
  }

  const other = { bgp: { ...bgp, holdTime: 9 } };
  const source = (sourceAddress: string) => ({ bgp: { ...bgp, holdTime: 9, sourceAddress } });
  const accepted: Readonly<Record<string, readonly [unknown, unknown]>> = {
    "from a source of its own": [vxlanNetwork({ bgp }), vxlanNetwork({ vni: 229, ...source("10.255.0.0/24") }, second)],
    "from another source": [
      vxlanNetwork({ bgp: { ...bgp, sourceAddress: "10.255.0.5" } }),
      vxlanNetwork({ vni: 229, ...source("10.255.0.6") }, second),
    ],
    "in another underlay": [
      vxlanNetwork({ bgp }),
      vxlanNetwork({ vni: 229, nodeNet: "10.0.8.0/24", ...other }, second),
    ],
    "with the number written out that a missing one means": [
      vxlanNetwork({ bgp }),
      vxlanNetwork({ vni: 229, bgp: { ...bgp, allowOwnAs: 0 } }, second),
    ],
    "with other peers": [
      vxlanNetwork({ bgp }),
      vxlanNetwork({ vni: 229, bgp: { ...bgp, peers: ["10.0.7.20"], holdTime: 9 } }, second),
    ],
    "from another interface": [
      vxlanNetwork({ bgp, nodeInterface: "eth0" }),
      vxlanNetwork({ vni: 229, nodeInterface: "eth1", ...other }, second),
    ],
    "on nodes that never carry both": [
      vxlanNetwork({ bgp }, {}, { nodeSelector: { rack: "a" } }),
      vxlanNetwork({ vni: 229, ...other }, second, { nodeSelector: { rack: "b", role: "edge" } }),
    ],
  };
  for (const [name, networks] of Object.entries(accepted)) {
    test(`another hold time ${name} is accepted`, () => assert.deepEqual(mistakesOf(document(...networks)), []));
  }

  test("a router id of one node that is its VTEP address is accepted beside none", () => {
    const networks = [
      vxlanNetwork({ bgp }),
      vxlanNetwork({ vni: 229, bgp: { ...bgp, routerId: "10.0.7.11" } }, second),
    ];
    assert.deepEqual(mistakesOf(document(...networks)), []);
  });

  test("what only a node knows, it says itself: here one network names the interface, and both find one address", () => {
    const networks = [vxlanNetwork({ bgp }), vxlanNetwork({ vni: 229, nodeInterface: "eth0", ...other }, second)];
    assert.deepEqual(mistakesOf(document(...networks)), []);
    const [first, later] = speakers(planNode(configurationOf(document(...networks)), nodeFacts()));
    assert.ok(first !== undefined && later !== undefined);
    assert.deepEqual([first.vtep, later.vtep], ["10.0.7.11", "10.0.7.11"]);
    assert.equal(sessionDifference(first, later), "bgp.holdTime (30 and 9)");
    assert.equal(sessionDifference(first, { ...later, holdTime: 30 }), undefined);
  });

  test("nodes with labels of both selectors carry both networks, which must agree", () => {
    const networks = [
      vxlanNetwork({ bgp }, {}, { nodeSelector: { rack: "a" } }),
      vxlanNetwork({ vni: 229, ...other }, second, { nodeSelector: { role: "edge" } }),
    ];
    assert.deepEqual(mistakesOf(document(...networks)), [
      `networks[1].vxlan.bgp.holdTime: 9 is not the 30 of networks[0].vxlan.bgp.holdTime, ${one}`,
    ]);
  });
});

describe("BFD of a network is its speaker's", () => {
  const cases: readonly (readonly [written: unknown, planned: object | undefined])[] = [
    [true, { minTxInterval: 300, minRxInterval: 300, multiplier: 3 }],
    ["on", { minTxInterval: 300, minRxInterval: 300, multiplier: 3 }],
    [
      { minTxInterval: 50, multihop: "no" },
      { minTxInterval: 50, minRxInterval: 300, multiplier: 3, multihop: false },
    ],
    [
      { minRxInterval: 1000, multiplier: 5, multihop: true },
      { minTxInterval: 300, minRxInterval: 1000, multiplier: 5, multihop: true },
    ],
    [false, undefined],
    ["off", undefined],
    [{ enabled: false, minTxInterval: 50 }, undefined],
  ];
  for (const [bfd, planned] of cases) {
    test(JSON.stringify(bfd), () => {
      const configuration = configurationOf(document(vxlanNetwork({ bgp: { ...bgp, bfd } })));
      assert.deepEqual(speakers(planNode(configuration, nodeFacts()))[0]?.bfd, planned);
    });
  }
});

test("password file and TTL security of a network are its speaker's", () => {
  const protectedBgp = { ...bgp, passwordFile: "/etc/vlan-router/bgp-passwords/fabric", ttlSecurity: 1 };
  const [speaker] = speakers(planNode(configurationOf(document(vxlanNetwork({ bgp: protectedBgp }))), nodeFacts()));
  assert.deepEqual([speaker?.passwordFile, speaker?.ttlSecurity], ["/etc/vlan-router/bgp-passwords/fabric", 1]);
});

test("whether peers may connect is the speaker's; networks of one session need not agree about it", () => {
  const networks = [
    vxlanNetwork({ bgp: { ...bgp, listen: "on" } }),
    vxlanNetwork({ vni: 229, bgp: { ...bgp, listen: false } }, second),
  ];
  assert.deepEqual(mistakesOf(document(...networks)), []);
  const planned = speakers(planNode(configurationOf(document(...networks)), nodeFacts()));
  assert.deepEqual(
    planned.map(({ listen }) => listen),
    [true, undefined],
  );
});

describe("the address that sessions come from", () => {
  const loopback = (text: string) => address("lo", text, 32);
  const planned = (sourceAddress: string, addresses: readonly ReturnType<typeof address>[]) => {
    const networks = document(vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19", "10.255.0.5"], sourceAddress } }));
    const links = [...nodeFacts().links, { name: "lo", mtu: 65_536, up: true }, { name: "eth1", mtu: 1500, up: false }];
    const facts = nodeFacts({ links, addresses: [...nodeFacts().addresses, ...addresses] });
    const [network] = planNode(configurationOf(networks), facts).networks;
    const { source, vtep, routerId, peers } = network?.speaker ?? {};
    assert.deepEqual([vtep, routerId], ["10.0.7.11", "10.0.7.11"], "next hop and identifier stay");
    return { source, peers, conditions: network?.conditions ?? [] };
  };
  const own = { source: "10.255.0.5", peers: ["10.0.7.19"], conditions: [] };
  const none = (reason: string, message: string) => ({
    source: null,
    peers: ["10.0.7.19", "10.255.0.5"],
    conditions: [{ reason, message: `the node has ${message}` }],
  });

  test("a single address, which then is no peer", () =>
    assert.deepEqual(planned("10.255.0.5", [loopback("10.255.0.5"), loopback("10.255.0.6")]), own));

  test("a single address is taken as it was written, secondary or not", () =>
    assert.deepEqual(planned("10.255.0.5", [address("eth0", "10.255.0.5", 24, { secondary: true })]), own));

  test("the one address of a prefix", () =>
    assert.deepEqual(planned("10.255.0.0/24", [loopback("10.255.0.5"), loopback("10.254.0.5")]), own));

  test("in a prefix a floating address is passed over beside the node's own", () =>
    assert.deepEqual(planned("10.255.0.0/24", [address("eth0", "10.255.0.5", 24), loopback("10.255.0.6")]), own));

  const withoutSessions =
    "on an interface that is up, so that the network has no BGP sessions; give the node one, or correct vxlan.bgp.sourceAddress";
  test("a prefix without an address", () =>
    assert.deepEqual(
      planned("10.255.0.0/24", []),
      none("NoBgpSourceAddress", `no address in 10.255.0.0/24 ${withoutSessions}`),
    ));

  test("an address that the node has not", () =>
    assert.deepEqual(
      planned("10.255.0.5", [address("eth1", "10.255.0.5", 24)]),
      none("NoBgpSourceAddress", `not the address 10.255.0.5 ${withoutSessions}`),
    ));

  test("a prefix with several", () =>
    assert.deepEqual(
      planned("10.255.0.0/24", [loopback("10.255.0.6"), loopback("10.255.0.5")]),
      none(
        "AmbiguousBgpSourceAddress",
        "several addresses in 10.255.0.0/24, 10.255.0.5 and 10.255.0.6, so that the network has no BGP sessions; narrow vxlan.bgp.sourceAddress",
      ),
    ));
});

describe("B4: the port of a network of 24 bits", () => {
  const portOf = (vni: number) =>
    gobgpPort({ vxlan: { vni, nodeNet: "10.0.7.0/24", port: 4789 } } satisfies Pick<VxlanNetworkSpec, "vxlan">);

  test("is 20000 + VNI mod 10000 for the smallest and the largest VNI", () => {
    assert.equal(portOf(1), 20_001);
    assert.equal(portOf(65_764), 25_764);
    assert.equal(portOf(16_777_215), 27_215);
  });

  test("a VNI that is equal modulo 65536 has another port, and the same route distinguisher", () => {
    const networks = (change: object) =>
      document(vxlanNetwork(), vxlanNetwork({ vni: 65_764, bgp: { ...bgp, ...change } }, second));
    assert.deepEqual(mistakesOf(networks({})), [
      "networks[1].vxlan.vni: 65764 gives the route distinguisher number 228 (VNI mod 65536) that networks[0].vxlan.vni has too; give one of them another VNI, or set bgp.routeDistinguisher where a single node carries it (nodeSelector with kubernetes.io/hostname): written, it is the same on every node",
    ]);
    assert.deepEqual(mistakesOf(networks({ routeDistinguisher: "10.0.7.5:64000" })), []);
  });

  test("a VNI that is equal modulo 10000 has the same port", () => {
    const networks = (change: object) =>
      document(vxlanNetwork(), vxlanNetwork({ vni: 10_228, bgp: { ...bgp, ...change } }, second));
    assert.deepEqual(mistakesOf(networks({})), [
      "networks[1].vxlan.vni: 10228 gives the GoBGP API port 20228 that networks[0].vxlan.vni has too; set bgp.gobgpPort in one of them",
    ]);
    assert.deepEqual(mistakesOf(networks({ gobgpPort: 21_000 })), []);
  });

  test("a port that is written meets one that is derived", () => {
    assert.deepEqual(
      mistakesOf(document(vxlanNetwork(), vxlanNetwork({ vni: 229, bgp: { ...bgp, gobgpPort: 20_228 } }, second))),
      [
        "networks[1].vxlan.bgp.gobgpPort: 20228 gives the GoBGP API port 20228 that networks[0].vxlan.vni has too; set bgp.gobgpPort in one of them",
      ],
    );
  });
});

describe("B15: AS numbers", () => {
  const asdot = "write dotted numbers in quotes";
  const accepted: readonly (readonly [written: unknown, number: number])[] = [
    [1, 1],
    ["65001", 65_001],
    [4_200_000_000, 4_200_000_000],
    [4_294_967_294, 4_294_967_294],
    ["64512.1", 4_227_858_433],
    ["0.100", 100],
    ["1.10", 65_546],
  ];
  for (const [written, number] of accepted) {
    test(`${JSON.stringify(written)} is ${number}`, () => {
      const session = { ...bgp, myAsn: written, peerAsn: written, routeTarget: "65001:228" };
      const [network] = configurationOf(document(vxlanNetwork({ bgp: session }))).networks;
      assert.ok(network?.type === "vxlan");
      assert.deepEqual([network.vxlan.bgp?.myAsn, network.vxlan.bgp?.peerAsn], [number, number]);
    });
  }

  const forms = 'write a whole number from 1 to 4294967294, or asdot in quotes such as "64512.1"';
  const fabric = "write the AS number that your fabric uses";
  const refused: readonly (readonly [written: unknown, sentence: string])[] = [
    [1.1, `1.1 is not an integer; ${asdot}`],
    [0, `0 is reserved (RFC 7607, RFC 7300); ${fabric}`],
    ["0", `"0" is reserved (RFC 7607, RFC 7300); ${fabric}`],
    [23_456, `23456 stands for four-byte numbers in old messages (AS_TRANS, RFC 6793); ${fabric}`],
    [65_535, `65535 is reserved (RFC 7607, RFC 7300); ${fabric}`],
    ["0.65535", `"0.65535" is reserved (RFC 7607, RFC 7300); ${fabric}`],
    [4_294_967_295, `4294967295 is reserved (RFC 7607, RFC 7300); ${fabric}`],
    [4_294_967_296, `4294967296 is not an AS number; ${forms}`],
    [-1, `-1 is not an AS number; ${forms}`],
    [Number.POSITIVE_INFINITY, `.inf is not an AS number; ${forms}`],
    [Number.NEGATIVE_INFINITY, `-.inf is not an AS number; ${forms}`],
    [Number.NaN, `.nan is not an AS number; ${forms}`],
    ["65536.1", `"65536.1" is not an AS number; ${forms}`],
    ["AS65001", `AS65001 is not an AS number; ${forms}`],
  ];
  for (const key of ["myAsn", "peerAsn"] as const) {
    for (const [written, sentence] of refused) {
      test(`${key}: ${sentence}`, () => {
        const session = { ...bgp, routeTarget: "65001:228", [key]: written };
        assert.deepEqual(mistakesOf(document(vxlanNetwork({ bgp: session }))), [
          `networks[0].vxlan.bgp.${key}: ${sentence}`,
        ]);
      });
    }
  }

  test("a number beyond all numbers is infinite in YAML", () => {
    const result = parseConfigurationFile(seed.replace("peerAsn: 65001", "peerAsn: 1e400"));
    assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [
      `networks[0].vxlan.bgp.peerAsn: .inf is not an AS number; ${forms} (line 7, column 37)`,
    ]);
  });

  test("an unquoted 1.10 has lost its zero before anybody reads it", () => {
    const result = parseConfigurationFile(seed.replace("myAsn: 65001", "myAsn: 1.10"));
    assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [
      `networks[0].vxlan.bgp.myAsn: 1.1 is not an integer; ${asdot} (line 7, column 21)`,
    ]);
    const quoted = parseConfigurationFile(
      seed.replace("myAsn: 65001", 'myAsn: "0.100"').replace("peerAsn: 65001", "peerAsn: 100"),
    );
    const [network] = quoted.ok ? quoted.value.networks : [];
    assert.equal(network?.type === "vxlan" && network.vxlan.bgp?.myAsn, 100);
  });
});

describe("B20: who is flooded to, and who a node is", () => {
  test("VXLAN without bgp needs remotes", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ bgp: undefined }))), [
      "networks[0].vxlan: without bgp there is nobody to flood to; write bgp, or remotes: [ADDRESS, …] with the other VTEPs",
    ]);
  });

  test("with remotes it learns, and floods to each of them", () => {
    const network = vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.7", "10.0.7.6", "10.0.7.11"] });
    const [planned] = planNode(configurationOf(document(network)), nodeFacts()).networks;
    assert.deepEqual(planned?.flood, ["10.0.7.6", "10.0.7.7"]);
    assert.equal(planned?.link.kind === "vxlan" && planned.link.learning, true);
    assert.equal(planned?.speaker, undefined);
  });

  test("with bgp it does not learn, and remotes have no use", () => {
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ remotes: ["10.0.7.6"] }))), [
      "networks[0].vxlan.remotes: is not used beside bgp, which learns the other VTEPs from Type-3 routes; remove remotes or bgp",
    ]);
    const [planned] = planNode(configurationOf(document(vxlanNetwork())), nodeFacts()).networks;
    assert.deepEqual(planned?.flood, []);
    assert.equal(planned?.link.kind === "vxlan" && planned.link.learning, false);
  });

  const underlay = vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: { ...bgp, peers: ["2001:db8:7::19"] } });
  const speakerAt = (vtep: string): SpeakerPlan | undefined =>
    speakers(planNode(configurationOf(document(underlay)), nodeFacts({ addresses: [address("eth0", vtep, 64)] })))[0];

  // printf '2001:db8:7::11' | sha256sum gives e423576e…, printf '2001:db8:7::12' | sha256sum gives 8b50efb4…; the highest
  // bit is cleared.
  test("an IPv6 VTEP gives each node a BGP identifier and a route distinguisher of its own", () => {
    const [one, other] = [speakerAt("2001:db8:7::11"), speakerAt("2001:DB8:7::12")];
    assert.deepEqual([one?.routerId, one?.routeDistinguisher], ["100.35.87.110", "100.35.87.110:228"]);
    assert.deepEqual([other?.routerId, other?.routeDistinguisher], ["11.80.239.180", "11.80.239.180:228"]);
  });

  test("one BGP identifier for all nodes is warned of, unless the network is for one node", () => {
    const network = (change: Readonly<Record<string, unknown>>) =>
      document(vxlanNetwork({ bgp: { ...bgp, routerId: "10.0.7.5" } }, {}, change));
    const warnings = (value: unknown) => parseConfiguration(value).warnings.map(renderMistake);
    const warning =
      "networks[0].vxlan.bgp.routerId: 10.0.7.5 is the BGP identifier of every node that carries the network, and nodes with the same one drop each other's routes (RFC 4456 section 8); leave it out, so that each node has its own, or name the one node in nodeSelector (kubernetes.io/hostname)";
    assert.deepEqual(warnings(network({})), [warning]);
    assert.deepEqual(warnings(network({ nodeSelector: { rack: "a" } })), [warning]);
    assert.deepEqual(warnings(network({ nodeSelector: { "kubernetes.io/hostname": "n1" } })), []);
    const [speaker] = speakers(planNode(configurationOf(network({})), nodeFacts()));
    assert.deepEqual([speaker?.routerId, speaker?.routeDistinguisher], ["10.0.7.5", "10.0.7.5:228"]);
  });
});

describe("C6: route targets", () => {
  const session = { ...bgp, holdTime: 30 };

  test("iBGP has one automatic target, eBGP imports both sides'", () => {
    assert.deepEqual(routeTargets(session, 228), { import: ["65001:228"], export: ["65001:228"] });
    assert.deepEqual(routeTargets({ ...session, peerAsn: 65002 }, 228), {
      import: ["65001:228", "65002:228"],
      export: ["65001:228"],
    });
  });

  test("a four-byte AS and a VNI do not fit into an automatic one", () => {
    const four = { ...bgp, myAsn: 4_200_000_000 };
    const message =
      'networks[0].vxlan.bgp.myAsn: 4200000000 has four bytes, and beside them a VNI does not fit into an automatic route target; set bgp.routeTarget, such as "65001:228", to the one that your fabric uses, or to frr, which keeps the last two bytes of the AS';
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ vni: 70_000, bgp: four }))), [message]);
    assert.deepEqual(mistakesOf(document(vxlanNetwork({ vni: 70_000, bgp: { ...four, routeTarget: "rfc8365" } }))), [
      message,
    ]);
    for (const routeTarget of ["65001:70000", "4200000000:228", "frr"]) {
      assert.deepEqual(mistakesOf(document(vxlanNetwork({ vni: 70_000, bgp: { ...four, routeTarget } }))), []);
    }
  });
});
