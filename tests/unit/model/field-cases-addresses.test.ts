import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseConfiguration, planNode, renderMistake, renderRoute, unknownValue } from "../../../model/index.js";
import { configurationOf, document, mistakesOf, nodeFacts, vlanNetwork, vxlanNetwork } from "./samples.js";

const podNetworks = ["10.244.0.0/16", "fd00:10::/64"];
const ipv6 = { cidr: "2001:db8:1::/64", gateway: "fe80::1" };

describe("B9: a gateway outside the prefix", () => {
  for (const gateway of ["192.0.2.1", "169.254.1.1"]) {
    const routing = { cidr: "203.0.113.64/29", gateway };

    test(`${gateway} needs onlink`, () => {
      assert.deepEqual(mistakesOf(document(vlanNetwork({}, routing))), [
        `networks[0].routing.gateway: ${gateway} is not inside 203.0.113.64/29; set routing.onlink if the router is reachable on this segment`,
      ]);
    });

    test(`${gateway} with onlink has a route that the kernel takes`, () => {
      const configuration = configurationOf(document(vlanNetwork({}, { ...routing, onlink: true })));
      assert.deepEqual(planNode(configuration, nodeFacts()).networks[0]?.routes.map(renderRoute), [
        "ip -4 route add 203.0.113.64/29 dev vlan220 table 220 protocol 118 scope link",
        `ip -4 route add default via ${gateway} dev vlan220 table 220 protocol 118 onlink`,
      ]);
    });

    test(`${gateway} passes while onlink is not known`, () => {
      assert.deepEqual(mistakesOf(document(vlanNetwork({}, { ...routing, onlink: unknownValue }))), []);
    });
  }

  test("a gateway inside needs none, at either end of a /31 too", () => {
    const accepted: readonly (readonly [cidr: string, gateway: string])[] = [
      ["203.0.113.64/29", "203.0.113.65"],
      ["203.0.113.64/31", "203.0.113.64"],
      ["203.0.113.64/31", "203.0.113.65"],
      ["2001:db8:1::/127", "2001:db8:1::"],
    ];
    for (const [cidr, gateway] of accepted) {
      assert.deepEqual(mistakesOf(document(vlanNetwork({}, { cidr, gateway }))), [], `${cidr} ${gateway}`);
    }
  });

  const noRouter: readonly (readonly [gateway: string, sentence: string])[] = [
    ["203.0.113.64", "is the network or broadcast address of 203.0.113.64/29; write the router's address"],
    ["203.0.113.71", "is the network or broadcast address of 203.0.113.64/29; write the router's address"],
    [
      "0.0.0.0",
      "lies in 0.0.0.0/8 (this network, RFC 791), where no router can be; write the provider's router on the segment",
    ],
    [
      "127.0.0.1",
      "lies in 127.0.0.0/8 (loopback, RFC 1122), where no router can be; write the provider's router on the segment",
    ],
    [
      "224.0.0.1",
      "lies in 224.0.0.0/4 (multicast, RFC 5771), where no router can be; write the provider's router on the segment",
    ],
    [
      "255.255.255.255",
      "lies in 240.0.0.0/4 (reserved, RFC 1112), where no router can be; write the provider's router on the segment",
    ],
  ];
  for (const [gateway, sentence] of noRouter) {
    test(`${gateway} is no router, with onlink either`, () => {
      const routing = { cidr: "203.0.113.64/29", gateway, onlink: true };
      assert.deepEqual(mistakesOf(document(vlanNetwork({}, routing))), [
        `networks[0].routing.gateway: ${gateway} ${sentence}`,
      ]);
    });
  }
});

describe("B13: host bits", () => {
  const refused: readonly (readonly [written: string, meant: string])[] = [
    ["203.0.113.7/24", "203.0.113.0/24"],
    ["203.0.113.1/31", "203.0.113.0/31"],
    ["2001:db8:1::1/64", "2001:db8:1::/64"],
    ["2001:DB8:1:0:0:0:0:1/64", "2001:db8:1::/64"],
  ];
  for (const [cidr, meant] of refused) {
    test(`${cidr} is refused with the prefix that was meant`, () => {
      const gateway = cidr.includes(":") ? "fe80::1" : "203.0.113.1";
      assert.deepEqual(mistakesOf(document(vxlanNetwork({}, { cidr, gateway }))), [
        `networks[0].routing.cidr: ${cidr} has host bits; did you mean ${meant}?`,
      ]);
    });
  }

  test("in podNetworks and nodeNet too", () => {
    const value = { podNetworks: ["10.244.0.1/16"], networks: [vxlanNetwork({ nodeNet: "10.0.7.5/24" })] };
    assert.deepEqual(mistakesOf(value), [
      "podNetworks[0]: 10.244.0.1/16 has host bits; did you mean 10.244.0.0/16?",
      "networks[0].vxlan.nodeNet: 10.0.7.5/24 has host bits; did you mean 10.0.7.0/24?",
    ]);
  });

  test("IPv6 texts are compared as addresses, and kept in one form", () => {
    const other = vlanNetwork({}, { cidr: "2001:DB8:1:0:0::/64", gateway: "FE80::1" });
    assert.deepEqual(
      configurationOf({ podNetworks, networks: [other] }).networks[0]?.routing[0]?.cidr,
      "2001:db8:1::/64",
    );
    const [mistake] = mistakesOf({ podNetworks, networks: [vxlanNetwork({}, ipv6), other] });
    assert.match(
      mistake ?? "",
      /^networks\[1\]\.routing\.cidr: 2001:DB8:1:0:0::\/64 is already networks\[0\]\.routing\.cidr; /,
    );
  });
});

describe("B14: IPv6", () => {
  const plan = planNode(
    configurationOf({ podNetworks, networks: [vlanNetwork({}, { ...ipv6, arpAnnouncer: true })] }),
    nodeFacts(),
  ).networks[0];

  test("a link-local gateway has its device in the route", () => {
    assert.deepEqual(plan?.routes.map(renderRoute), [
      "ip -6 route add 2001:db8:1::/64 dev vlan220 table 220 protocol 118",
      "ip -6 route add default via fe80::1 dev vlan220 table 220 protocol 118",
    ]);
  });

  test("rules are of IPv6 alone, and pod networks of IPv4 stand in none", () => {
    assert.deepEqual([...new Set(plan?.rules.map(({ family }) => family))], [6]);
    assert.equal(
      plan?.rules.some(({ to }) => to === "10.244.0.0/16"),
      false,
    );
    assert.equal(
      plan?.rules.some(({ to }) => to === "fd00:10::/64"),
      true,
    );
  });

  test("it is announced as IPv6, and has no rp_filter of IPv6", () => {
    assert.deepEqual(plan?.announcements, [
      { family: 6, prefix: "2001:db8:1::/64", gateway: "fe80::1", enabled: true, interval: 60 },
    ]);
    assert.deepEqual(
      plan?.sysctls.map(({ name }) => name),
      [
        "net.ipv4.conf.vlan220.rp_filter",
        "net.ipv6.conf.vlan220.accept_ra",
        "net.ipv6.conf.vlan220.autoconf",
        "net.ipv6.conf.vlan220.disable_ipv6",
      ],
    );
  });

  test("without pod networks of its family it is warned of", () => {
    const warnings = (pods: readonly string[]) =>
      parseConfiguration({ podNetworks: pods, networks: [vlanNetwork({}, ipv6)] }).warnings.map(renderMistake);
    assert.deepEqual(warnings(["10.244.0.0/16"]), [
      "networks[0].routing.cidr: 2001:db8:1::/64 has no IPv6 podNetworks: pods will not be reachable from it; add the cluster's pod and service networks of this family",
    ]);
    assert.deepEqual(warnings(podNetworks), []);
    assert.deepEqual(warnings([]), []);
  });

  const mixed: readonly (readonly [name: string, network: unknown, message: string])[] = [
    [
      "an IPv6 gateway of an IPv4 prefix",
      vlanNetwork({}, { gateway: "fe80::1" }),
      "routing.gateway: fe80::1 is not of the family of 198.51.100.0/24; write a gateway of the same family",
    ],
    [
      "an IPv4 gateway of an IPv6 prefix",
      vlanNetwork({}, { ...ipv6, gateway: "198.51.100.1", onlink: true }),
      "routing.gateway: 198.51.100.1 is not of the family of 2001:db8:1::/64; write a gateway of the same family",
    ],
    [
      "an IPv6 remote of an IPv4 VTEP",
      vxlanNetwork({ bgp: undefined, remotes: ["2001:db8:7::6"] }),
      "vxlan.remotes[0]: 2001:db8:7::6 is not of the family of nodeNet 10.0.7.0/24; write an address of the same family",
    ],
    [
      "an IPv4 address written as IPv6",
      vlanNetwork({}, { gateway: "::ffff:198.51.100.1" }),
      "routing.gateway: ::ffff:198.51.100.1 is an IPv4 address written as an IPv6 one (IPv4-mapped, RFC 4291 section 2.5.5.2); write 198.51.100.1",
    ],
    [
      "a link-local gateway with a zone",
      vlanNetwork({}, { ...ipv6, gateway: "fe80::1%bond0" }),
      "routing.gateway: fe80::1%bond0 is not an IP address; write one address such as 10.0.7.19 or 2001:db8::19, without prefix length or zone",
    ],
  ];
  for (const [name, network, message] of mixed) {
    test(`${name} is refused`, () =>
      assert.deepEqual(mistakesOf({ podNetworks, networks: [network] }), [`networks[0].${message}`]));
  }

  test("dual stack is one network, one table and two families", () => {
    const routing = [{ cidr: "198.51.100.0/24", gateway: "198.51.100.1" }, ipv6];
    const { networks } = planNode(
      configurationOf({ podNetworks, networks: [vlanNetwork({}, {}, { routing })] }),
      nodeFacts(),
    );
    assert.deepEqual(
      networks[0]?.routes.map(({ family, table }) => [family, table]),
      [
        [4, 220],
        [4, 220],
        [6, 220],
        [6, 220],
      ],
    );
  });
});
