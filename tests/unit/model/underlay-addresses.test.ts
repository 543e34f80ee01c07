import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkNetworks, parseConfiguration, renderMistake } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] };
const second = { cidr: "192.0.2.0/24", gateway: "192.0.2.1" };
const warningsOf = (value: unknown) => parseConfiguration(value).warnings.map(renderMistake);

describe("peers and remotes are of the family of nodeNet, from which the node sends", () => {
  const cases: readonly (readonly [network: unknown, message: string])[] = [
    [
      vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp }),
      "networks[0].vxlan.bgp.peers[0]: 10.0.7.19 is not of the family of nodeNet 2001:db8:7::/64; write an address of the same family",
    ],
    [
      vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19", "2001:db8:7::19"] } }),
      "networks[0].vxlan.bgp.peers[1]: 2001:db8:7::19 is not of the family of nodeNet 10.0.7.0/24; write an address of the same family",
    ],
    [
      vxlanNetwork({ nodeNet: "2001:db8:7::/64", bgp: undefined, remotes: ["10.0.7.6"] }),
      "networks[0].vxlan.remotes[0]: 10.0.7.6 is not of the family of nodeNet 2001:db8:7::/64; write an address of the same family",
    ],
  ];
  for (const [network, message] of cases) {
    test(message, () => assert.deepEqual(mistakesOf(document(network)), [message]));
  }
});

describe("peers are of the family of the declared source, whatever nodeNet is", () => {
  const sixPeers = { ...bgp, peers: ["2001:db8:7::19"] };
  test("an IPv6 source to IPv6 peers over IPv4 tunnels is accepted", () =>
    assert.deepEqual(
      mistakesOf(document(vxlanNetwork({ bgp: { ...sixPeers, sourceAddress: "2001:db8:ff::/64" } }))),
      [],
    ));
  const cases: readonly (readonly [bgp: object, message: string])[] = [
    [
      { ...bgp, sourceAddress: "2001:DB8:ff::5" },
      "networks[0].vxlan.bgp.peers[0]: 10.0.7.19 is not of the family of sourceAddress 2001:db8:ff::5; write an address of the same family",
    ],
    [
      { ...sixPeers, sourceAddress: "10.255.0.0/24" },
      "networks[0].vxlan.bgp.peers[0]: 2001:db8:7::19 is not of the family of sourceAddress 10.255.0.0/24; write an address of the same family",
    ],
  ];
  for (const [declared, message] of cases) {
    test(message, () => assert.deepEqual(mistakesOf(document(vxlanNetwork({ bgp: declared }))), [message]));
  }
});

describe("what lies beneath the networks lies in no public prefix", () => {
  const remotes = (...addresses: readonly string[]) =>
    vxlanNetwork({ vni: 229, bgp: undefined, remotes: addresses }, second);
  const cases: readonly (readonly [name: string, networks: readonly unknown[], messages: readonly string[]])[] = [
    [
      "a remote in another network's",
      [vlanNetwork(), remotes("198.51.100.7", "10.0.7.6")],
      [
        "networks[1].vxlan.remotes[0]: 198.51.100.7 lies inside the public prefix 198.51.100.0/24 of networks[0].routing.cidr; write the VTEP's address in the underlay",
      ],
    ],
    [
      "a remote in its own",
      [remotes("192.0.2.9")],
      [
        "networks[0].vxlan.remotes[0]: 192.0.2.9 lies inside the network's own public prefix 192.0.2.0/24, which is reached through the tunnel that needs this address; write the VTEP's address in the underlay",
      ],
    ],
    [
      "a remote, and the public prefix comes later",
      [remotes("198.51.100.7"), vlanNetwork()],
      [
        "networks[1].routing.cidr: 198.51.100.0/24 holds 198.51.100.7 of networks[0].vxlan.remotes[0], which must be reached outside the public networks; write the provider's subnet, or correct the other one",
      ],
    ],
    [
      "a peer, and the public prefix comes later",
      [vxlanNetwork({ bgp: { ...bgp, peers: ["198.51.100.7"] } }), vlanNetwork()],
      [
        "networks[1].routing.cidr: 198.51.100.0/24 holds 198.51.100.7 of networks[0].vxlan.bgp.peers[0], which must be reached outside the public networks; write the provider's subnet, or correct the other one",
      ],
    ],
    [
      "a source of sessions in its own",
      [vxlanNetwork({ bgp: { ...bgp, sourceAddress: "203.0.113.9" } })],
      [
        "networks[0].vxlan.bgp.sourceAddress: 203.0.113.9 overlaps the network's own public prefix 203.0.113.0/24: packets of the sessions would be routed into it; write an address that the nodes have in the underlay, or its prefix",
      ],
    ],
    [
      "sources of sessions around a public prefix that comes later",
      [vxlanNetwork({ bgp: { ...bgp, sourceAddress: "198.51.0.0/16" } }), vlanNetwork()],
      [
        "networks[1].routing.cidr: 198.51.100.0/24 overlaps 198.51.0.0/16 of networks[0].vxlan.bgp.sourceAddress: packets of the sessions would be routed into the public network; write the provider's subnet, or correct the other one",
      ],
    ],
    [
      "a nodeNet, and the public prefix comes later",
      [vxlanNetwork({ nodeNet: "198.51.0.0/16", bgp: { ...bgp, peers: ["10.0.9.1"] } }), vlanNetwork()],
      [
        "networks[1].routing.cidr: 198.51.100.0/24 overlaps 198.51.0.0/16 of networks[0].vxlan.nodeNet: the tunnel's own packets would be routed into the public network; write the provider's subnet, or correct the other one",
      ],
    ],
    [
      "a peer that two networks share, once",
      [
        vlanNetwork(),
        vxlanNetwork({ bgp: { ...bgp, peers: ["198.51.100.7"] } }),
        vxlanNetwork({ vni: 229, bgp: { ...bgp, peers: ["198.51.100.7"] } }, second),
      ],
      [
        "networks[1].vxlan.bgp.peers[0]: 198.51.100.7 lies inside the public prefix 198.51.100.0/24 of networks[0].routing.cidr; write the peer's address in the underlay",
      ],
    ],
  ];
  for (const [name, networks, messages] of cases) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), messages));
  }

  test("of networks in a cluster the later one is told, whichever holds the prefix", () => {
    const [tunnel] = configurationOf(document(vxlanNetwork({ bgp: { ...bgp, peers: ["198.51.100.7"] } }))).networks;
    const [vlan] = configurationOf(document(vlanNetwork())).networks;
    assert.ok(tunnel !== undefined && vlan !== undefined);
    assert.deepEqual(
      checkNetworks([tunnel, vlan]).map(({ path, code }) => [path, code]),
      [["vlan220.routing[0].cidr", "PeerInsidePublicPrefix"]],
    );
    assert.deepEqual(
      checkNetworks([vlan, tunnel]).map(({ path, code }) => [path, code]),
      [["vxlan228.vxlan.bgp.peers[0]", "PeerInsidePublicPrefix"]],
    );
  });
});

describe("what is seldom meant is warned of", () => {
  const cases: readonly (readonly [name: string, value: unknown, warnings: readonly string[]])[] = [
    [
      "peers at the edges of nodeNet",
      document(vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.0", "10.0.7.19", "10.0.7.255"] } })),
      [
        "networks[0].vxlan.bgp.peers[0]: 10.0.7.0 is the network or broadcast address of nodeNet 10.0.7.0/24; write the address of a host, or keep it where these are loopback addresses",
        "networks[0].vxlan.bgp.peers[2]: 10.0.7.255 is the network or broadcast address of nodeNet 10.0.7.0/24; write the address of a host, or keep it where these are loopback addresses",
      ],
    ],
    [
      "remotes at the edges of nodeNet",
      document(vxlanNetwork({ bgp: undefined, remotes: ["10.0.7.255"] })),
      [
        "networks[0].vxlan.remotes[0]: 10.0.7.255 is the network or broadcast address of nodeNet 10.0.7.0/24; write the address of a host, or keep it where these are loopback addresses",
      ],
    ],
    ["both ends of a /31", document(vxlanNetwork({ nodeNet: "10.0.7.18/31", bgp })), []],
    [
      "the nodes' network among the pods'",
      { podNetworks: ["10.0.0.0/16"], networks: [vxlanNetwork({ bgp })] },
      [
        "networks[0].vxlan.nodeNet: 10.0.7.0/24 overlaps the pod network 10.0.0.0/16: pods could have addresses of nodes; keep it if nodes and pods share a network, else one of the two is wrong",
      ],
    ],
    [
      "a prefix that is its gateway alone",
      document(vlanNetwork({}, { cidr: "203.0.113.1/32", gateway: "203.0.113.1" })),
      [
        "networks[0].routing.cidr: 203.0.113.1/32 holds no address beside the gateway's: customers get none; write the provider's whole subnet, or the router's own address as gateway with routing.onlink",
      ],
    ],
    [
      "a prefix of one address with its gateway elsewhere",
      document(vlanNetwork({}, { cidr: "203.0.113.7/32", gateway: "192.0.2.1", onlink: true })),
      [],
    ],
    ["a link of two", document(vlanNetwork({}, { cidr: "203.0.113.0/31", gateway: "203.0.113.0" })), []],
  ];
  for (const [name, value, warnings] of cases) {
    test(name, () => {
      assert.deepEqual(mistakesOf(value), []);
      assert.deepEqual(warningsOf(value), warnings);
    });
  }
});

describe("an interface that we make is nothing to stand on", () => {
  const below = "write the interface below it, such as bond0 (a VLAN inside a VLAN of ours, QinQ, is not supported)";
  const carrier = "write the interface that carries the node's address in the underlay";
  const refused: readonly (readonly [networks: readonly unknown[], message: string])[] = [
    [
      [vlanNetwork({ parent: "vlan220" })],
      `networks[0].vlan.parent: vlan220 is the interface that this network itself makes; ${below}`,
    ],
    [
      [vxlanNetwork(), vlanNetwork({ parent: "vxlan228" })],
      `networks[1].vlan.parent: vxlan228 is the interface that networks[0].vxlan.vni makes; ${below}`,
    ],
    [
      [vlanNetwork({ parent: "vxlan228" }), vxlanNetwork()],
      `networks[1].vxlan.vni: 228 makes the interface vxlan228, which is networks[0].vlan.parent; give it another number, or ${below} there`,
    ],
    [
      [vxlanNetwork({ bridge: true }), vlanNetwork({ parent: "br228" })],
      `networks[1].vlan.parent: br228 is the interface that networks[0].vxlan.vni makes; ${below}`,
    ],
    [
      [vlanNetwork(), vlanNetwork({ id: 221, parent: "vlan220" }, second)],
      `networks[1].vlan.parent: vlan220 is the interface that networks[0].vlan.id makes; ${below}`,
    ],
    [
      [vxlanNetwork({ nodeInterface: "vxlan228" })],
      `networks[0].vxlan.nodeInterface: vxlan228 is the interface that this network itself makes; ${carrier}`,
    ],
    [
      [vlanNetwork(), vxlanNetwork({ nodeInterface: "vlan220" })],
      `networks[1].vxlan.nodeInterface: vlan220 is the interface that networks[0].vlan.id makes; ${carrier}`,
    ],
  ];
  for (const [networks, message] of refused) {
    test(message, () => assert.deepEqual(mistakesOf(document(...networks)), [message]));
  }

  const accepted: Readonly<Record<string, readonly unknown[]>> = {
    "a VLAN interface of somebody else": [vlanNetwork({ parent: "vlan99" })],
    "a bridge that a network without bridge does not make": [vxlanNetwork(), vlanNetwork({ parent: "br228" })],
    "a name that is ours on other nodes": [
      vlanNetwork({}, {}, { nodeSelector: { rack: "a" } }),
      vxlanNetwork({ nodeInterface: "vlan220" }, {}, { nodeSelector: { rack: "b" } }),
    ],
  };
  for (const [name, networks] of Object.entries(accepted)) {
    test(name, () => assert.deepEqual(mistakesOf(document(...networks)), []));
  }
});
