import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  configurationCommands,
  gobgpPort,
  interfaceName,
  isUnknown,
  type NamedNetwork,
  parseConfiguration,
  parseNetwork,
  renderMistake,
  routeDistinguisher,
  routingTable,
  unknownValue,
} from "../../../model/index.js";
import { document, vlanNetwork, vxlanNetwork } from "./samples.js";

function parsed(value: unknown): NamedNetwork {
  const result = parseNetwork(value);
  assert.equal(result.ok, true, JSON.stringify(result));
  if (!result.ok) throw new Error("unreachable");
  return result.value;
}

test("the sentinel is the engine's", () => assert.equal(unknownValue, "04da6b54-80e4-46f7-96ec-b56ff0331ba9"));

describe("unknown values pass wherever a value may stand", () => {
  const bgp = {
    myAsn: unknownValue,
    peerAsn: unknownValue,
    peers: [unknownValue, "10.0.7.20"],
    holdTime: unknownValue,
    passwordFile: unknownValue,
    ttlSecurity: unknownValue,
    allowOwnAs: unknownValue,
    bfd: unknownValue,
    listen: unknownValue,
    maxRoutes: unknownValue,
    maxMacs: unknownValue,
    sourceAddress: unknownValue,
  };
  const cases: Readonly<Record<string, unknown>> = {
    "VNI and prefix": vxlanNetwork({ vni: unknownValue }, { cidr: unknownValue }),
    "every leaf of bgp": vxlanNetwork({ bgp }),
    "the list of peers": vxlanNetwork({ bgp: { ...bgp, peers: unknownValue } }),
    "every leaf of bfd": vxlanNetwork({
      bgp: {
        ...bgp,
        bfd: {
          enabled: unknownValue,
          minTxInterval: unknownValue,
          minRxInterval: unknownValue,
          multiplier: unknownValue,
          multihop: unknownValue,
        },
      },
    }),
    "bgp as a whole": vxlanNetwork({ bgp: unknownValue }),
    "vxlan as a whole": vxlanNetwork({}, {}, { vxlan: unknownValue }),
    "vlan as a whole": vlanNetwork({}, {}, { vlan: unknownValue }),
    "routing as a whole": vlanNetwork({}, {}, { routing: unknownValue }),
    "one of two subnets": vlanNetwork({}, {}, { routing: [unknownValue, unknownValue] }),
    arpAnnouncer: vlanNetwork({}, { arpAnnouncer: unknownValue, table: unknownValue, onlink: unknownValue }),
  };
  for (const [name, value] of Object.entries(cases)) test(name, () => void parsed(value));

  test("pod networks of a whole configuration", () => {
    assert.equal(parseConfiguration({ ...document(vxlanNetwork()), podNetworks: unknownValue }).ok, true);
  });
});

describe("what can be checked without them is checked", () => {
  const cases: readonly (readonly [value: unknown, found: readonly string[]])[] = [
    [vxlanNetwork({ vni: unknownValue, nodeNet: "10.0.7.5/24" }), ["vxlan.nodeNet HostBits"]],
    [vxlanNetwork({ vni: unknownValue }, { gateway: "192.0.2.1" }), ["routing.gateway GatewayOutsidePrefix"]],
    [vxlanNetwork({ vni: unknownValue, foo: unknownValue }), ["vxlan.foo UnknownKey"]],
    [vlanNetwork({ parent: unknownValue, id: 0 }), ["vlan.id OutOfRange"]],
    [vlanNetwork({}, {}, { type: unknownValue }), ["type NotOneOf"]],
  ];
  for (const [value, found] of cases) {
    test(found.join(), () => {
      const result = parseNetwork(value);
      assert.deepEqual(!result.ok && result.mistakes.map(({ code, path }) => `${path} ${code}`), found);
    });
  }

  test("two networks disagree on a session although a third one's part of it is unknown", () => {
    const network = (number: number, myAsn: unknown) =>
      vxlanNetwork(
        { vni: 300 + number, bgp: { myAsn, peerAsn: 65001, peers: ["10.0.7.19"] } },
        { cidr: `192.0.${number}.0/24`, gateway: `192.0.${number}.1` },
      );
    const result = parseConfiguration(document(network(3, unknownValue), network(4, 65001), network(5, 65002)));
    assert.deepEqual(!result.ok && result.mistakes.map(({ code, path, message }) => [code, path, message]), [
      [
        "SessionParametersDiffer",
        "networks[2].vxlan.bgp.myAsn",
        "is not the 65001 of networks[1].vxlan.bgp.myAsn, and a router keeps one session per address (10.0.7.19)",
      ],
    ]);
  });

  test("two networks with unknown VNIs do not clash", () => {
    const other = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };
    const result = parseConfiguration(
      document(
        vxlanNetwork({ vni: unknownValue }, {}, { name: "one" }),
        vxlanNetwork({ vni: unknownValue }, other, { name: "two" }),
      ),
    );
    assert.equal(result.ok, true);
  });
});

describe("a network that may be the one which another replaces", () => {
  const named: Readonly<Record<string, unknown>> = {
    "by its name": vxlanNetwork({ vni: 229 }, {}, { name: unknownValue }),
    "by its VNI": vxlanNetwork({ vni: unknownValue }),
    "as far as it is known": vxlanNetwork({}, {}, { name: "old" }),
  };
  for (const [name, old] of Object.entries(named)) {
    test(name, () => {
      const result = parseConfiguration(
        document(old, vlanNetwork({}, { cidr: "203.0.113.0/24", gateway: "203.0.113.1", replaces: "old" })),
      );
      assert.deepEqual(result.ok ? [] : result.mistakes, []);
      assert.deepEqual(
        result.warnings.filter(({ code }) => code === "ReplacesNothing"),
        [],
      );
    });
  }

  test("is no excuse where nothing is replaced, and its name is not made up", () => {
    const result = parseConfiguration(
      document(
        vxlanNetwork({ vni: unknownValue }),
        vlanNetwork({}, { cidr: "203.0.113.0/24", gateway: "203.0.113.1" }),
      ),
    );
    assert.deepEqual(!result.ok && result.mistakes.map(renderMistake), [
      "networks[1].routing.cidr: 203.0.113.0/24 is already networks[0].routing.cidr; a prefix stands in one network; remove one",
    ]);
  });
});

test("an overview of whole parts that are unknown tells no number of them", () => {
  const network = parsed(vxlanNetwork({ bgp: unknownValue }, {}, { routing: unknownValue }));
  const [routing] = network.routing;
  if (routing === undefined || network.type !== "vxlan") throw new Error("unreachable");
  assert.equal(isUnknown(routingTable(network, routing)), true);
  assert.equal(isUnknown(gobgpPort(network)), true);
  assert.equal(isUnknown(routeDistinguisher(network.vxlan, "10.0.7.5")), true);
  assert.equal(interfaceName(network), "vxlan228");
});

test("what follows from an unknown is unknown, and the rest is not", () => {
  const network = parsed(vxlanNetwork({ vni: unknownValue }, { table: 1228 }));
  const [routing] = network.routing;
  if (routing === undefined || network.type !== "vxlan") throw new Error("unreachable");
  assert.equal(isUnknown(network.name), true);
  assert.equal(isUnknown(interfaceName(network)), true);
  assert.equal(isUnknown(gobgpPort(network)), true);
  assert.equal(isUnknown(configurationCommands(network, [])), true);
  assert.equal(routingTable(network, routing), 1228);
});
