import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { document, mistakesOf, vlanNetwork, vxlanNetwork } from "./samples.js";

/** By the prefix that somebody writes: the range of the registries that it meets. */
const refused: Readonly<Record<string, string>> = {
  "0.0.0.0/0": "0.0.0.0/8 (this network, RFC 791)",
  "0.1.0.0/16": "0.0.0.0/8 (this network, RFC 791)",
  "127.0.0.0/8": "127.0.0.0/8 (loopback, RFC 1122)",
  "127.0.5.0/24": "127.0.0.0/8 (loopback, RFC 1122)",
  // Their first address is a host's, and others are not.
  "126.0.0.0/7": "127.0.0.0/8 (loopback, RFC 1122)",
  "128.0.0.0/1": "192.0.0.0/24 (IETF protocol assignments, RFC 6890)",
  "169.254.0.0/16": "169.254.0.0/16 (link-local, RFC 3927)",
  "192.0.0.0/8": "192.0.0.0/24 (IETF protocol assignments, RFC 6890)",
  "224.0.0.0/4": "224.0.0.0/4 (multicast, RFC 5771)",
  "240.0.0.0/4": "240.0.0.0/4 (reserved, RFC 1112)",
  "255.255.255.255/32": "240.0.0.0/4 (reserved, RFC 1112)",
  "::/0": "::1/128 (loopback, RFC 4291)",
  "::/127": "::1/128 (loopback, RFC 4291)",
  "::c000:200/120": "::/96 (unspecified and IPv4-compatible, RFC 4291)",
  "::10.244.0.0/112": "::/96 (unspecified and IPv4-compatible, RFC 4291)",
  "::fffe:0:0/95": "::ffff:0:0/96 (IPv4-mapped, RFC 4291)",
  "100::/64": "100::/64 (discard-only, RFC 6666)",
  "100::/48": "100::/64 (discard-only, RFC 6666)",
  "fe00::/9": "fe00::/9 (reserved, RFC 4291)",
  "fe80::/10": "fe80::/10 (link-local, RFC 4291)",
  "fe80::/64": "fe80::/10 (link-local, RFC 4291)",
  "ff02::/16": "ff00::/8 (multicast, RFC 4291)",
};

const inside = (prefix: string) => (prefix.includes(":") ? "fe80::1" : "198.51.100.1");

describe("a prefix without hosts is told of once", () => {
  for (const [prefix, range] of Object.entries(refused)) {
    const sentence = `${prefix} overlaps ${range}, where no host can be`;

    test(`as cidr: ${prefix}`, () => {
      const network = vlanNetwork({}, { cidr: prefix, gateway: inside(prefix) });
      assert.deepEqual(mistakesOf(document(network)), [
        `networks[0].routing.cidr: ${sentence}; write the provider's subnet`,
      ]);
    });

    test(`as nodeNet: ${prefix}`, () => {
      const peers = [prefix.includes(":") ? "2001:db8:7::19" : "10.0.7.19"];
      const network = vxlanNetwork({ nodeNet: prefix, bgp: { myAsn: 65001, peerAsn: 65001, peers } });
      assert.deepEqual(mistakesOf(document(network)), [
        `networks[0].vxlan.nodeNet: ${sentence}; write the prefix of the nodes' addresses in the underlay`,
      ]);
    });

    test(`among podNetworks: ${prefix}`, () => {
      const value = { podNetworks: ["10.96.0.0/16", prefix], networks: [vxlanNetwork(), vlanNetwork()] };
      assert.deepEqual(mistakesOf(value), [
        `podNetworks[1]: ${sentence}; write a pod or service network of the cluster`,
      ]);
    });
  }

  const withGateway: readonly (readonly [cidr: string, gateway: string, range: string])[] = [
    ["240.0.0.0/8", "240.0.0.1", "240.0.0.0/4 (reserved, RFC 1112)"],
    ["100::/64", "100::1", "100::/64 (discard-only, RFC 6666)"],
    ["::/3", "::1", "::1/128 (loopback, RFC 4291)"],
  ];
  for (const [cidr, gateway, range] of withGateway) {
    test(`as cidr: ${cidr}, with the gateway ${gateway} of the same range`, () => {
      assert.deepEqual(mistakesOf(document(vlanNetwork({}, { cidr, gateway }))), [
        `networks[0].routing.cidr: ${cidr} overlaps ${range}, where no host can be; write the provider's subnet`,
      ]);
    });
  }

  test("a gateway of another range is a mistake of its own", () => {
    const network = vlanNetwork({}, { cidr: "240.0.0.0/8", gateway: "127.0.0.1" });
    assert.deepEqual(mistakesOf(document(network)), [
      "networks[0].routing.cidr: 240.0.0.0/8 overlaps 240.0.0.0/4 (reserved, RFC 1112), where no host can be; write the provider's subnet",
      "networks[0].routing.gateway: 127.0.0.1 lies in 127.0.0.0/8 (loopback, RFC 1122), where no router can be; write the provider's router on the segment",
    ]);
  });

  test("twice in two networks, as two mistakes of the networks themselves", () => {
    const cidr = { cidr: "127.0.0.0/8", gateway: "198.51.100.1" };
    assert.deepEqual(mistakesOf(document(vlanNetwork({}, cidr), vlanNetwork({ id: 221 }, cidr))), [
      "networks[0].routing.cidr: 127.0.0.0/8 overlaps 127.0.0.0/8 (loopback, RFC 1122), where no host can be; write the provider's subnet",
      "networks[1].routing.cidr: 127.0.0.0/8 overlaps 127.0.0.0/8 (loopback, RFC 1122), where no host can be; write the provider's subnet",
    ]);
  });
});

describe("ranges that hosts have", () => {
  const accepted: readonly (readonly [cidr: string, gateway: string])[] = [
    // RFC 2544: common in labs.
    ["198.18.0.0/24", "198.18.0.1"],
    // Carriers give shared addresses (RFC 6598) and private ones (RFC 1918, RFC 4193) to customers behind their NAT.
    ["100.64.0.0/24", "100.64.0.1"],
    ["172.16.5.0/24", "172.16.5.1"],
    ["fd00:5::/64", "fe80::1"],
    ["2001:2::/48", "fe80::1"],
    ["2002:c000:204::/48", "fe80::1"],
    ["3fff::/64", "fe80::1"],
    ["193.0.0.0/8", "193.0.0.1"],
    ["126.0.0.0/8", "126.0.0.1"],
    ["223.255.255.0/24", "223.255.255.1"],
  ];
  for (const [cidr, gateway] of accepted) {
    test(cidr, () => {
      const value = { podNetworks: [], networks: [vlanNetwork({}, { cidr, gateway })] };
      assert.deepEqual(mistakesOf(value), []);
    });
  }
});

describe("an address without a host is told of once", () => {
  const bgp = { myAsn: 65001, peerAsn: 65001 };
  const cases: readonly (readonly [address: string, range: string])[] = [
    ["fe80::1", "fe80::/10 (link-local, RFC 4291)"],
    ["ff02::1", "ff00::/8 (multicast, RFC 4291)"],
    ["::1", "::1/128 (loopback, RFC 4291)"],
    ["0.0.0.0", "0.0.0.0/8 (this network, RFC 791)"],
    ["127.0.0.1", "127.0.0.0/8 (loopback, RFC 1122)"],
    ["169.254.1.1", "169.254.0.0/16 (link-local, RFC 3927)"],
    ["239.1.1.1", "224.0.0.0/4 (multicast, RFC 5771)"],
  ];
  for (const [address, range] of cases) {
    const sentence = `${address} lies in ${range}, not with other hosts; write its address in the underlay`;

    test(`as remote: ${address}`, () => {
      const network = vxlanNetwork({ bgp: undefined, remotes: [address] });
      assert.deepEqual(mistakesOf(document(network)), [`networks[0].vxlan.remotes[0]: ${sentence}`]);
    });

    test(`as peer: ${address}`, () => {
      const network = vxlanNetwork({ bgp: { ...bgp, peers: ["10.0.7.19", address] } });
      assert.deepEqual(mistakesOf(document(network)), [`networks[0].vxlan.bgp.peers[1]: ${sentence}`]);
    });
  }
});
