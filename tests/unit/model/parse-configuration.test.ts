import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  networkSpec,
  parseConfiguration,
  parseConfigurationFile,
  parseNetwork,
  renderMistake,
} from "../../../model/index.js";
import { seed } from "../../support/seed.js";
import { configurationOf, document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };

describe("the seed file", () => {
  test("parses as it stands into the normal form", () => {
    assert.deepEqual(parseConfigurationFile(seed), {
      ok: true,
      warnings: [],
      value: {
        podNetworks: ["10.244.0.0/16", "10.96.0.0/16"],
        networks: [
          {
            name: "vxlan228",
            type: "vxlan",
            vxlan: {
              vni: 228,
              nodeNet: "10.0.7.0/24",
              port: 4789,
              bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19", "10.0.7.20"], holdTime: 30 },
            },
            routing: [
              {
                cidr: "203.0.113.0/24",
                gateway: "203.0.113.1",
                onlink: false,
                returnPath: "auto",
                arpAnnouncer: { enabled: true, interval: 60 },
              },
            ],
          },
          {
            name: "vlan220",
            type: "vlan",
            vlan: { parent: "bond0", id: 220 },
            routing: [
              {
                cidr: "198.51.100.0/24",
                gateway: "198.51.100.1",
                onlink: false,
                returnPath: "auto",
                arpAnnouncer: { enabled: false, interval: 60 },
              },
            ],
          },
        ],
      },
    });
  });
});

describe("normal form", () => {
  test("is a fixed point: parsing it again changes nothing", () => {
    const once = configurationOf(document(vxlanNetwork(), vlanNetwork({}, {}, { name: "uplink" })));
    assert.deepEqual(configurationOf(once), once);
  });

  test("writes IPv6 as RFC 5952 does", () => {
    const { networks, podNetworks } = configurationOf({
      podNetworks: ["FD00:0:0::/48"],
      networks: [vlanNetwork({}, { cidr: "2001:DB8:0001::/64", gateway: "2001:db8:1:0:0::1" })],
    });
    assert.deepEqual(podNetworks, ["fd00::/48"]);
    assert.equal(networks[0]?.routing[0]?.cidr, "2001:db8:1::/64");
    assert.equal(networks[0]?.routing[0]?.gateway, "2001:db8:1::1");
  });

  test("an interval alone turns the announcer on", () => {
    const [network] = configurationOf(document(vlanNetwork({}, { arpAnnouncer: { interval: 30 } }))).networks;
    assert.deepEqual(network?.routing[0]?.arpAnnouncer, { enabled: true, interval: 30 });
  });

  for (const [written, number] of [
    [4_200_000_000, 4_200_000_000],
    ["65001", 65001],
    ["0.100", 100],
    ["64512.1", 4_227_858_433],
  ] as const) {
    test(`AS number ${written} is ${number}`, () => {
      const bgp = { myAsn: written, peerAsn: written, peers: ["10.0.7.19"], routeTarget: "65001:228" };
      const [network] = configurationOf(document(vxlanNetwork({ bgp }))).networks;
      assert.equal(network?.type === "vxlan" && network.vxlan.bgp?.myAsn, number);
    });
  }
});

describe("B19: a configuration that says nothing is never read as `remove everything`", () => {
  const message = "configuration: is empty; write podNetworks and networks; to remove every network write networks: []";
  for (const value of [undefined, null, {}]) {
    test(`${JSON.stringify(value)} is a mistake`, () => assert.deepEqual(mistakesOf(value), [message]));
  }
  test("networks: null is a mistake", () => {
    assert.deepEqual(mistakesOf({ podNetworks: [], networks: null }), [
      "networks: null is empty; write a list of networks, or [] to remove every network",
    ]);
  });
  test("networks: [] written out is valid", () => {
    assert.deepEqual(parseConfiguration({ podNetworks: [], networks: [] }), {
      ok: true,
      value: { podNetworks: [], networks: [] },
      warnings: [],
    });
  });
});

describe("mistakes in one value", () => {
  const cases: readonly (readonly [network: unknown, message: string])[] = [
    [vxlanNetwork({ vni: 16_777_216 }), "vxlan.vni: 16777216 is out of range; write a whole number from 1 to 16777215"],
    [vxlanNetwork({ vni: "228" }), 'vxlan.vni: "228" is a text, not a number; write a whole number from 1 to 16777215'],
    [vlanNetwork({ id: 4095 }), "vlan.id: 4095 is out of range; write a whole number from 1 to 4094"],
    [vlanNetwork({ id: 1.5 }), "vlan.id: 1.5 is not a whole number; write a whole number from 1 to 4094"],
    [
      vxlanNetwork({}, { cidr: "203.0.113.0" }),
      "routing.cidr: 203.0.113.0 is not a prefix; write ADDRESS/LENGTH such as 203.0.113.0/24 or 2001:db8:1::/64",
    ],
    [
      vlanNetwork({}, { cidr: "0.0.0.0/0" }),
      "routing.cidr: 0.0.0.0/0 overlaps 0.0.0.0/8 (this network, RFC 791), where no host can be; write the provider's subnet",
    ],
    [
      vxlanNetwork({}, { gateway: "010.0.0.1" }),
      "routing.gateway: 010.0.0.1 is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone",
    ],
    [
      vxlanNetwork({}, { cidr: "10.244.7.0/24", gateway: "10.244.7.1" }),
      "routing.cidr: 10.244.7.0/24 overlaps the pod network 10.244.0.0/16: its traffic would stay in the main table; one of the two is wrong",
    ],
    [
      vxlanNetwork({ nodeNet: "203.0.113.128/25" }),
      "vxlan.nodeNet: 203.0.113.128/25 overlaps the network's own public prefix 203.0.113.0/24: the tunnel's own packets would be routed into it; write the prefix of the nodes' addresses in the underlay",
    ],
    ...["s3cret", "etc/bgp", "/etc/bgp/", "/etc/my key", "/", `/${"x".repeat(255)}`].map(
      (passwordFile): [unknown, string] => [
        vxlanNetwork({ bgp: { ...bgp, passwordFile } }),
        "vxlan.bgp.passwordFile: is not the path of a file; write the absolute path of a file that holds the password, such as /etc/vlan-router/bgp-passwords/fabric",
      ],
    ),
    ...[-1, 11].map((allowOwnAs): [unknown, string] => [
      vxlanNetwork({ bgp: { ...bgp, allowOwnAs } }),
      `vxlan.bgp.allowOwnAs: ${allowOwnAs} is out of range; write a whole number from 0 to 10, the times that myAsn may stand in a path`,
    ]),
    ...[0, 10_000_001].flatMap((limit): (readonly [unknown, string])[] => [
      [
        vxlanNetwork({ bgp: { ...bgp, maxRoutes: limit } }),
        `vxlan.bgp.maxRoutes: ${limit} is out of range; write a whole number from 1 to 10000000, for each peer`,
      ],
      [
        vxlanNetwork({ bgp: { ...bgp, maxMacs: limit } }),
        `vxlan.bgp.maxMacs: ${limit} is out of range; write a whole number from 1 to 10000000, for the network`,
      ],
    ]),
    [
      vxlanNetwork({ bgp: { ...bgp, bfd: "maybe" } }),
      "vxlan.bgp.bfd: maybe is a text, not a mapping; write true, false or a mapping with minTxInterval, minRxInterval, multiplier and multihop",
    ],
    ...(["minTxInterval", "minRxInterval"] as const).flatMap((key) =>
      [49, 60_001].map((interval): [unknown, string] => [
        vxlanNetwork({ bgp: { ...bgp, bfd: { [key]: interval } } }),
        `vxlan.bgp.bfd.${key}: ${interval} is out of range; write a whole number from 50 to 60000, in milliseconds`,
      ]),
    ),
    ...[1, 256].map((multiplier): [unknown, string] => [
      vxlanNetwork({ bgp: { ...bgp, bfd: { multiplier } } }),
      `vxlan.bgp.bfd.multiplier: ${multiplier} is out of range; write a whole number from 2 to 255, the packets that may be missing in a row`,
    ]),
    [
      vxlanNetwork({ bgp: { ...bgp, sourceAddress: "lo" } }),
      "vxlan.bgp.sourceAddress: lo is not an IP address; write an address such as 10.255.0.5, or the prefix in which each node has one, such as 10.255.0.0/24",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, sourceAddress: "10.255.0.5/24" } }),
      "vxlan.bgp.sourceAddress: 10.255.0.5/24 has host bits; did you mean 10.255.0.0/24?",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, sourceAddress: "127.0.0.0/8" } }),
      "vxlan.bgp.sourceAddress: 127.0.0.0/8 overlaps 127.0.0.0/8 (loopback, RFC 1122), from where no host can be reached; write an address of the nodes, or its prefix",
    ],
    ...[0, 255].map((ttlSecurity): [unknown, string] => [
      vxlanNetwork({ bgp: { ...bgp, ttlSecurity } }),
      `vxlan.bgp.ttlSecurity: ${ttlSecurity} is out of range; write a whole number from 1 to 254, the hops to the peer with itself counted`,
    ]),
    [
      vxlanNetwork({ bgp: { ...bgp, holdTime: 0 } }),
      "vxlan.bgp.holdTime: 0 is out of range; write a whole number from 3 to 65535, in seconds",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, peers: [] } }),
      "vxlan.bgp.peers: [] is empty; write a list of at least one address such as [10.0.7.19, 10.0.7.20]",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, peers: ["2001:db8:7::19", "2001:0db8:7::19"] }, nodeNet: "2001:db8:7::/64" }),
      "vxlan.bgp.peers[1]: 2001:0db8:7::19 is already peers[0]; remove one of the two",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, peers: ["203.0.113.9"] } }),
      "vxlan.bgp.peers[0]: 203.0.113.9 lies inside the network's own public prefix 203.0.113.0/24, which is reached through the tunnel that needs this address; write the peer's address in the underlay",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, routeTarget: "4200000000:70000" } }),
      "vxlan.bgp.routeTarget: 4200000000:70000 is not a route target; write ASN:NUMBER such as 65001:228; beside an AS above 65535 the number ends at 65535",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, routeDistinguisher: "65001:228" } }),
      "vxlan.bgp.routeDistinguisher: 65001:228 is not a route distinguisher; write ADDRESS:NUMBER such as 10.0.7.5:228, the number at most 65535",
    ],
    [
      vlanNetwork({}, {}, { name: "Uplink_1" }),
      "name: Uplink_1 is not a DNS label; write at most 63 lower-case letters, digits and inner hyphens",
    ],
    [vlanNetwork({ idd: 7 }), "vlan.idd: 7 is not a known key; did you mean id?"],
    [
      vxlanNetwork({ gobgpport: 7 }),
      "vxlan.gobgpport: 7 is not a known key; remove it; what may stand here: bgp, bridge, mtu, nodeInterface, nodeNet, port, remotes, txChecksum, vni",
    ],
    [
      vlanNetwork({}, { arpAnouncer: true }),
      "routing.arpAnouncer: true is not a known key; did you mean arpAnnouncer?",
    ],
    [
      vlanNetwork({}, { returnPath: "rule" }),
      "routing.returnPath: rule is not one of the choices; write auto, source or mark",
    ],
    [
      vlanNetwork({}, { arpAnnouncer: "maybe" }),
      "routing.arpAnnouncer: maybe is a text, not a mapping; write true, false or a mapping with interval",
    ],
    [
      vlanNetwork({}, {}, { vxlan: { vni: 5 } }),
      'vxlan: {"vni":5} does not belong to type vlan; remove it or write type: vxlan',
    ],
    [vlanNetwork({}, {}, { type: "vlna" }), "type: vlna is not a type of network; write type: vlan"],
    [vlanNetwork({}, {}, { type: undefined }), "type: is missing; write type: vlan"],
    [
      vlanNetwork({}, {}, { routing: [] }),
      "routing: [] is empty; write a mapping with cidr and gateway, or a list of such mappings",
    ],
    ["vxlan228", ": vxlan228 is a text, not a mapping; write a mapping with type, vxlan or vlan, and routing"],
  ];
  for (const [network, message] of cases) {
    const separator = message.startsWith(":") ? "" : ".";
    test(message, () => assert.deepEqual(mistakesOf(document(network)), [`networks[0]${separator}${message}`]));
  }
});

describe("B19: a slip of the pen in any key names the key that was meant", () => {
  const keys: Readonly<Record<string, readonly string[]>> = {
    "": ["name", "nodeSelector", "routing", "type", "vxlan"],
    vxlan: ["bgp", "mtu", "nodeInterface", "nodeNet", "port", "remotes", "vni"],
    "vxlan.bgp": [
      "allowOwnAs",
      "bfd",
      "listen",
      "gobgpPort",
      "holdTime",
      "maxMacs",
      "maxRoutes",
      "myAsn",
      "peerAsn",
      "peers",
      "routeDistinguisher",
      "routeTarget",
      "routerId",
      "sourceAddress",
      "ttlSecurity",
    ],
    routing: ["arpAnnouncer", "cidr", "gateway", "onlink", "returnPath", "table"],
    "routing.arpAnnouncer": ["enabled", "interval"],
    "vxlan.bgp.bfd": ["enabled", "minRxInterval", "minTxInterval", "multihop", "multiplier"],
  };
  for (const [place, names] of Object.entries(keys)) {
    for (const name of names) {
      test(`${place}.${name}`, () => {
        const network = structuredClone(vxlanNetwork({ bgp: { ...bgp, bfd: {} } }, { arpAnnouncer: {} }));
        const steps = place === "" ? [] : place.split(".");
        const mapping = steps.reduce<Record<string, unknown>>((value, step) => value[step] as typeof value, network);
        mapping[`${name}x`] = 1;
        assert.deepEqual(mistakesOf(document(network)), [
          `${["networks[0]", ...steps].join(".")}.${name}x: 1 is not a known key; did you mean ${name}?`,
        ]);
      });
    }
  }
});

describe("what is unusual and right", () => {
  const accepted: Readonly<Record<string, unknown>> = {
    "a reserved number with a table of its own": vxlanNetwork({ vni: 254 }, { table: 1254 }),
    "a gateway outside the prefix with onlink": vxlanNetwork({}, { gateway: "192.0.2.1", onlink: true }),
    "a link-local IPv4 gateway with onlink": vxlanNetwork({}, { gateway: "169.254.1.1", onlink: true }),
    "both addresses of a /31": vxlanNetwork({}, { cidr: "203.0.113.2/31", gateway: "203.0.113.2" }),
    "a /32 with an onlink gateway": vxlanNetwork({}, { cidr: "203.0.113.7/32", gateway: "192.0.2.1", onlink: true }),
    "a link-local IPv6 router": vlanNetwork({}, { cidr: "2001:db8:1::/64", gateway: "fe80::1" }),
    "VXLAN without BGP": vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.6"] }),
    "IPv4 and IPv6 in one table": vlanNetwork(
      {},
      {},
      {
        routing: [
          { cidr: "198.51.100.0/24", gateway: "198.51.100.1" },
          { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
        ],
      },
    ),
    "a VNI of 24 bits beside a two-byte AS": vxlanNetwork({ vni: 16_777_215 }),
  };
  for (const [name, network] of Object.entries(accepted)) {
    test(name, () => assert.deepEqual(mistakesOf(document(network)), []));
  }
});

test("all mistakes come out of one run, also those between values of a network with other mistakes", () => {
  const value = {
    podNetwork: [],
    networks: [
      vxlanNetwork({ bogus: 1, nodeNet: "10.0.7.5/24" }, { gateway: "192.0.2.1" }),
      vlanNetwork({ id: 5000 }, { cidr: "203.0.113.0/24", gateway: "203.0.113.1" }),
      7,
    ],
  };
  const codes = (result: ReturnType<typeof parseConfiguration>) =>
    result.ok ? [] : result.mistakes.map(({ code, path }) => `${path} ${code}`).sort();
  assert.deepEqual(codes(parseConfiguration(value)), [
    "networks[0].routing.gateway GatewayOutsidePrefix",
    "networks[0].vxlan.bogus UnknownKey",
    "networks[0].vxlan.nodeNet HostBits",
    "networks[1].routing.cidr DuplicatePrefix",
    "networks[1].vlan.id OutOfRange",
    "networks[2] WrongType",
    "podNetwork UnknownKey",
  ]);
});

describe("warnings", () => {
  test("a family without pod networks", () => {
    const result = parseConfiguration(document(vlanNetwork({}, { cidr: "2001:db8:1::/64", gateway: "fe80::1" })));
    assert.deepEqual(
      result.warnings.map(({ code, path, message }) => [code, path, message]),
      [
        [
          "NoPodNetworkOfFamily",
          "networks[0].routing.cidr",
          "has no IPv6 podNetworks: pods will not be reachable from it",
        ],
      ],
    );
    assert.equal(result.ok, true);
  });

  test("BFD that is slower than the hold time, and not one that is as fast as it may be", () => {
    const warningsOf = (change: object) =>
      parseConfiguration(document(vxlanNetwork({ bgp: { ...bgp, ...change } }))).warnings;
    assert.deepEqual(warningsOf({ holdTime: 9, bfd: { minRxInterval: 3000 } }).map(renderMistake), [
      "networks[0].vxlan.bgp.bfd: notices a dead peer after 9 s, when the hold time of 9 s is over already; write shorter intervals, or leave it out",
    ]);
    assert.deepEqual(warningsOf({ holdTime: 9, bfd: { minRxInterval: 2999 } }), []);
    assert.deepEqual(warningsOf({ holdTime: 9, bfd: { enabled: false, minRxInterval: 60_000 } }), []);
  });

  test("an interval above the ageing time of switches", () => {
    const result = parseConfiguration(document(vlanNetwork({}, { arpAnnouncer: { interval: 300 } })));
    assert.deepEqual(
      result.warnings.map(({ code, path }) => [code, path]),
      [["RarelyAnnounced", "networks[0].routing.arpAnnouncer.interval"]],
    );
  });
});

describe("parseNetwork", () => {
  test("gives paths that start at the network, and a default name", () => {
    const result = parseNetwork(vxlanNetwork({ vni: 0 }));
    assert.deepEqual(!result.ok && result.mistakes.map(({ path }) => path), ["vxlan.vni"]);
    const good = parseNetwork(vlanNetwork());
    assert.equal(good.ok && good.value.name, "vlan220");
  });

  test("takes the name of the object, and `networkSpec` gives the object's spec back", () => {
    const result = parseNetwork(vlanNetwork(), { name: "uplink", podNetworks: ["10.244.0.0/16"] });
    assert.equal(result.ok && result.value.name, "uplink");
    assert.deepEqual(result.ok && networkSpec(result.value), {
      type: "vlan",
      vlan: { parent: "bond0", id: 220 },
      routing: [
        {
          cidr: "198.51.100.0/24",
          gateway: "198.51.100.1",
          onlink: false,
          returnPath: "auto",
          arpAnnouncer: { enabled: false, interval: 60 },
        },
      ],
    });
  });

  test("a network that is no mapping is a mistake at the network itself", () => {
    const result = parseNetwork(undefined);
    assert.deepEqual(!result.ok && result.mistakes.map(({ code, path }) => [code, path]), [["Missing", ""]]);
  });
});
