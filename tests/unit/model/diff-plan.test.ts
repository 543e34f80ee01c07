import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  cleanUpPlan,
  diffPlan,
  type NetworkPlan,
  type NodePlan,
  type ObservedRule,
  type ObservedState,
  operationsOf,
  operationText,
  type UnplannedNetwork,
} from "../../../model/index.js";

const nothing: ObservedState = { links: [], addresses: [], routes: [], rules: [], sysctls: {}, forwarding: {} };

const network: NetworkPlan = {
  network: "public",
  link: {
    kind: "vlan",
    name: "vlan220",
    alias: "vlan-router:public",
    parent: "bond0",
    id: 220,
    mtu: 1500,
  },
  routes: [
    { family: 4, table: 220, destination: "198.51.100.0/24", device: "vlan220", onlink: false },
    { family: 4, table: 220, destination: "default", gateway: "198.51.100.1", device: "vlan220", onlink: false },
  ],
  rules: [
    { family: 4, priority: 4016, from: "198.51.100.0/24", action: { kind: "lookup", table: 220 } },
    { family: 4, priority: 4017, from: "198.51.100.0/24", action: { kind: "unreachable" } },
  ],
  sysctls: [{ name: "net.ipv4.conf.vlan220.rp_filter", value: "0" }],
  filter: { device: "vlan220", prefixes: ["198.51.100.0/24"], markDirection: "reply", segmentFilter: true },
  flood: [],
  announcements: [],
};
const plan: NodePlan = { networks: [network], unplanned: [] };

const link = {
  name: "vlan220",
  kind: "vlan",
  alias: "vlan-router:public",
  group: 118118118,
  mtu: 1500,
  up: true,
  parent: "bond0",
  vlan: { id: 220 },
};
const lookup: ObservedRule = {
  family: 4,
  priority: 4016,
  protocol: 118,
  from: "198.51.100.0/24",
  action: { kind: "lookup", table: 220 },
  plain: true,
};
const guard: ObservedRule = { ...lookup, priority: 4017, action: { kind: "unreachable" } };
const exception: ObservedRule = {
  ...lookup,
  priority: 3000,
  to: "10.9.0.0/16",
  action: { kind: "lookup", table: 254 },
};
const connected = {
  family: 4,
  table: 220,
  destination: "198.51.100.0/24",
  protocol: 118,
  device: "vlan220",
  onlink: false,
  plain: true,
} as const;
const carried: ObservedState = {
  ...nothing,
  links: [link],
  routes: [connected, { ...connected, destination: "default", gateway: "198.51.100.1" }],
  rules: [lookup, guard],
  sysctls: { "net.ipv4.conf.vlan220.rp_filter": "0" },
};

function texts(observed: ObservedState, nodePlan: NodePlan) {
  const { departed, networks, departedRules } = diffPlan(observed, nodePlan);
  return {
    departed: [...departed, ...departedRules].map(operationText),
    networks: networks.flatMap((own) =>
      [...own.rules, ...own.link, ...own.additions, ...own.removals].map(operationText),
    ),
    conflicts: networks.flatMap(({ conflicts }) => conflicts.map(({ reason }) => reason)),
  };
}

describe("from nothing", () => {
  test("rules, interface, alias, sysctl, up, routes, in this order", () => {
    assert.deepEqual(texts(nothing, plan), {
      departed: [],
      networks: [
        "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
        "ip -4 rule add priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
        "ip link add link bond0 name vlan220 mtu 1500 group 118118118 type vlan id 220",
        "ip link set dev vlan220 alias vlan-router:public",
        "sysctl -w net.ipv4.conf.vlan220.rp_filter=0",
        "ip link set dev vlan220 up",
        "ip -4 route add 198.51.100.0/24 dev vlan220 table 220 protocol 118 scope link",
        "ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118",
      ],
      conflicts: [],
    });
  });
});

describe("against what is there", () => {
  test("nothing to do", () => {
    assert.deepEqual(texts(carried, plan), { departed: [], networks: [], conflicts: [] });
  });

  test("another VLAN id under the same name: a new interface, and its routes again", () => {
    assert.deepEqual(texts({ ...carried, links: [{ ...link, vlan: { id: 221 } }] }, plan).networks, [
      "ip link del dev vlan220",
      "ip link add link bond0 name vlan220 mtu 1500 group 118118118 type vlan id 220",
      "ip link set dev vlan220 alias vlan-router:public",
      "sysctl -w net.ipv4.conf.vlan220.rp_filter=0",
      "ip link set dev vlan220 up",
      "ip -4 route add 198.51.100.0/24 dev vlan220 table 220 protocol 118 scope link",
      "ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118",
    ]);
  });

  test("an interface is not deleted when another program has the segment that it is to move to", () => {
    const other = { name: "bond0.220", kind: "vlan", mtu: 1500, up: true, parent: "bond0", vlan: { id: 220 } };
    const observed = { ...carried, links: [{ ...link, parent: "bond1" }, other] };
    assert.deepEqual(texts(observed, plan), { departed: [], networks: [], conflicts: ["SegmentInUse"] });
  });

  test("routes that go with a deleted interface, its own and those in the table of another, are not deleted once more", () => {
    const old = { ...link, name: "vlan219", vlan: { id: 219 } };
    const held = { family: 4, table: 220, protocol: 118, device: "vlan219", onlink: false, plain: true } as const;
    const routes = [
      { ...held, destination: "192.0.2.0/24" },
      { ...held, destination: "default", gateway: "192.0.2.1" },
    ];
    const result = texts({ ...carried, links: [old, link], routes: [connected, ...routes] }, plan);
    assert.deepEqual(result, {
      departed: ["ip link del dev vlan219"],
      networks: ["ip -4 route add default via 198.51.100.1 dev vlan220 table 220 protocol 118"],
      conflicts: [],
    });
  });

  test("MTU and alias in place", () => {
    assert.deepEqual(texts({ ...carried, links: [{ ...link, mtu: 1400, alias: "vlan-router:old" }] }, plan).networks, [
      "ip link set dev vlan220 alias vlan-router:public",
      "ip link set dev vlan220 mtu 1500",
    ]);
  });

  test("of equal rules one stays; the same rule at another priority goes", () => {
    const rules = [lookup, lookup, guard, { ...lookup, priority: 998 }];
    assert.deepEqual(texts({ ...carried, rules }, plan).networks, [
      "ip -4 rule del priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule del priority 998 from 198.51.100.0/24 protocol 118 lookup 220",
    ]);
  });

  test("an exception that nobody wants any more goes, though it names no table of ours", () => {
    assert.deepEqual(texts({ ...carried, rules: [exception, lookup, guard] }, plan), {
      departed: [],
      networks: ["ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.9.0.0/16 protocol 118 lookup main"],
      conflicts: [],
    });
  });

  describe("of routes with our protocol one of each stays", () => {
    const ours = { ...connected, destination: "default", gateway: "198.51.100.1" };
    const other = { ...ours, gateway: "198.51.100.9" };
    const metric5 = {
      ...other,
      plain: false,
      apart: true,
      words: "default via 198.51.100.9 dev vlan220 metric 5",
    } as const;
    const mtu = { ...ours, plain: false, words: "default via 198.51.100.1 dev vlan220 mtu 1400" };
    const changes = (...defaults: ObservedState["routes"]) =>
      texts({ ...carried, routes: [connected, ...defaults] }, plan).networks;
    const put = (verb: string) => `ip -4 route ${verb} default via 198.51.100.1 dev vlan220 table 220 protocol 118`;

    test("ours beside one of another metric", () => {
      assert.deepEqual(changes(ours, metric5), [
        "ip -4 route del default via 198.51.100.9 dev vlan220 metric 5 table 220 protocol 118",
      ]);
    });
    test("one of another metric alone", () => {
      assert.deepEqual(changes(metric5), [
        put("add"),
        "ip -4 route del default via 198.51.100.9 dev vlan220 metric 5 table 220 protocol 118",
      ]);
    });
    test("one in the place of ours, with an attribute of somebody's", () => {
      assert.deepEqual(changes(mtu), [put("replace")]);
    });
    test("one that was put before ours, whatever its attributes", () => {
      assert.deepEqual(changes(mtu, ours), [
        "ip -4 route del default via 198.51.100.1 dev vlan220 mtu 1400 table 220 protocol 118",
      ]);
      assert.deepEqual(changes(other, ours), [
        "ip -4 route del default via 198.51.100.9 dev vlan220 table 220 protocol 118",
      ]);
    });
    test("several in the place of ours", () => {
      assert.deepEqual(changes(mtu, other), [
        put("replace"),
        "ip -4 route del default via 198.51.100.9 dev vlan220 table 220 protocol 118",
      ]);
    });
    test("those that nobody wants, before a plain one, whose command would take the least metric of IPv6", () => {
      const removal = cleanUpPlan({ ...nothing, routes: [connected, metric5] }).operations.map(operationText);
      assert.deepEqual(removal, [
        "ip -4 route del default via 198.51.100.9 dev vlan220 metric 5 table 220 protocol 118",
        "ip -4 route del 198.51.100.0/24 table 220 protocol 118",
      ]);
    });
  });

  test("rules with our protocol in forms that we never write go first, and of them the one of which most is said", () => {
    const stray = { ...lookup, plain: false, words: "from 198.51.100.0/24 iif eth0 lookup 220" };
    const narrower = { ...stray, words: "from 198.51.100.0/24 tos 0x10 iif eth0 lookup 220" };
    const prohibit = { ...lookup, action: { kind: "other" }, words: "from 198.51.100.0/24 prohibit" } as const;
    const rules = [stray, narrower, prohibit, guard];
    const commands = (state: ObservedState) =>
      operationsOf(diffPlan(state, plan))
        .filter(({ kind }) => kind === "ip")
        .map(operationText);
    assert.deepEqual(commands({ ...carried, rules }), [
      "ip -4 rule del priority 4016 protocol 118 from 198.51.100.0/24 tos 0x10 iif eth0 lookup 220",
      "ip -4 rule del priority 4016 protocol 118 from 198.51.100.0/24 iif eth0 lookup 220",
      "ip -4 rule del priority 4016 protocol 118 from 198.51.100.0/24 prohibit",
      "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
    ]);
    assert.deepEqual(commands({ ...carried, rules: [lookup, guard, { ...stray, protocol: 0 }] }), []);
  });

  test("one that no command names alone is said", () => {
    const rules = [lookup, guard, { ...lookup, plain: false }];
    const { strayRules, stays } = diffPlan({ ...carried, rules }, plan);
    assert.deepEqual(strayRules, []);
    assert.deepEqual(stays, [
      {
        reason: "UnknownRule",
        message:
          "IPv4 rule at priority 4016 has this agent's protocol number 118, but a form that the agent never writes and cannot " +
          "name; see it with: ip -4 rule show priority 4016, and remove it with: ip -4 rule del priority 4016 protocol 118, " +
          "followed by what is shown of it",
        network: "public",
      },
    ]);
  });

  test("a blocked network keeps its rules and routes", () => {
    const observed = { ...carried, links: [{ ...link, alias: "somebody's", group: 1 }] };
    assert.deepEqual(texts(observed, plan), { departed: [], networks: [], conflicts: ["ForeignInterface"] });
  });

  test("without a network everything of it goes, the interface first, the guards and rules last", () => {
    assert.deepEqual(cleanUpPlan({ ...carried, rules: [exception, lookup, guard] }).operations.map(operationText), [
      "ip -4 route del 198.51.100.0/24 table 220 protocol 118",
      "ip -4 route del default table 220 protocol 118",
      "ip link del dev vlan220",
      "ip -4 rule del priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
      "ip -4 rule del priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
      "ip -4 rule del priority 3000 from 198.51.100.0/24 to 10.9.0.0/16 protocol 118 lookup main",
    ]);
  });
});

describe("a network without an interface still keeps its prefix out of the main table", () => {
  const guarding = [
    "ip -4 rule add priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
    "ip -4 rule add priority 4017 from 198.51.100.0/24 protocol 118 unreachable",
  ];

  test("where its name is another's", () => {
    const observed: ObservedState = { ...nothing, links: [{ name: "vlan220", kind: "dummy", mtu: 1500, up: true }] };
    assert.deepEqual(texts(observed, plan), { departed: [], networks: guarding, conflicts: ["ForeignInterface"] });
    assert.deepEqual(texts({ ...observed, rules: [lookup, guard] }, plan).networks, []);
  });

  test("where it cannot be planned", () => {
    const unplanned: UnplannedNetwork = {
      network: "public",
      device: "vlan220",
      interfaces: ["vlan220"],
      tables: [220],
      prefixes: ["198.51.100.0/24"],
      rules: network.rules,
      filter: network.filter,
      condition: { reason: "ParentMissing", message: "parent bond0 not found" },
    };
    const guards = (observed: ObservedState) =>
      diffPlan(observed, { networks: [], unplanned: [unplanned] }).guards.map(operationText);
    assert.deepEqual(guards(nothing), guarding);
    assert.deepEqual(guards({ ...nothing, rules: [lookup, guard] }), []);
  });
});

test("a plan without its rules is a conflict, not a success", () => {
  const condition = { reason: "LocalRuleTooLate", message: "the local table is looked up at priority 32765" };
  const without = { ...network, rules: [], conditions: [condition] };
  const { networks } = diffPlan(carried, { networks: [without], unplanned: [] });
  assert.deepEqual(networks[0]?.conflicts, [condition]);
});

describe("a network that cannot be planned now", () => {
  const unplanned: UnplannedNetwork = {
    network: "public",
    device: "vlan220",
    interfaces: ["vlan220"],
    tables: [220],
    prefixes: ["198.51.100.0/24"],
    rules: network.rules,
    filter: network.filter,
    condition: { reason: "ParentMissing", message: "parent bond0 not found" },
  };
  const marked: ObservedRule = {
    family: 4,
    priority: 3900,
    protocol: 118,
    mark: { value: 0x10, mask: 0x3ff0 },
    action: { kind: "lookup", table: 220 },
    plain: true,
  };
  const marks: readonly ObservedRule[] = [
    marked,
    { ...marked, priority: 3901, action: { kind: "unreachable" } },
    { ...marked, priority: 3000, to: "10.9.0.0/16", action: { kind: "lookup", table: 254 } },
  ];

  test("keeps interface, routes, rules, marks and exceptions", () => {
    const observed = { ...carried, rules: [exception, lookup, guard, ...marks] };
    assert.deepEqual(texts(observed, { networks: [], unplanned: [unplanned] }).departed, []);
  });

  test("also those of a prefix that it had in an earlier generation", () => {
    const earlier = { ...lookup, from: "192.0.2.0/24" };
    const observed = { ...carried, rules: [earlier, { ...guard, from: "192.0.2.0/24" }] };
    assert.deepEqual(texts(observed, { networks: [], unplanned: [unplanned] }).departed, []);
  });
});
