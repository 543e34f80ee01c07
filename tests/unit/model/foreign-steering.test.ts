import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  diffPlan,
  type NodePlan,
  type ObservedRoute,
  type ObservedRule,
  type ObservedState,
  operationText,
} from "../../../model/index.js";

const plan: NodePlan = {
  networks: [
    {
      network: "public",
      link: { kind: "vlan", name: "vlan220", alias: "vlan-router:public", parent: "bond0", id: 220, mtu: 1500 },
      routes: [
        { family: 4, table: 220, destination: "198.51.100.0/24", device: "vlan220", onlink: false },
        { family: 4, table: 220, destination: "default", gateway: "198.51.100.1", device: "vlan220", onlink: false },
      ],
      rules: [
        {
          family: 4,
          priority: 3000,
          from: "198.51.100.0/24",
          to: "10.244.0.0/16",
          action: { kind: "lookup", table: 254 },
        },
        { family: 4, priority: 4016, from: "198.51.100.0/24", action: { kind: "lookup", table: 220 } },
        { family: 4, priority: 4017, from: "198.51.100.0/24", action: { kind: "unreachable" } },
      ],
      sysctls: [],
      filter: { device: "vlan220", prefixes: ["198.51.100.0/24"], markDirection: "reply", segmentFilter: true },
      flood: [],
      announcements: [],
    },
  ],
  unplanned: [],
};

const nothing: ObservedState = { links: [], addresses: [], routes: [], rules: [], sysctls: {}, forwarding: {} };
/** main and the table 99 have a default route, the table 220 of strongSwan has none. */
const defaultRoutes = [
  { family: 4, table: 254 },
  { family: 4, table: 99 },
] as const;
const foreign: ObservedRule = {
  family: 4,
  priority: 1500,
  protocol: 0,
  from: "198.51.100.0/24",
  action: { kind: "lookup", table: 99 },
  plain: true,
};
const { from: _, ...everything } = foreign;
const main = { action: { kind: "lookup", table: 254 } } as const;
const further = { inverted: false, others: false, suppresses: false, idle: false };
const inverted = { ...further, inverted: true };
const mark = { value: 0xca6c, mask: 0xffffffff };
/** What a rule that is not plain looks like in the words of iproute2. */
const other = (words: string, rule: Partial<ObservedRule>): ObservedRule => ({
  ...{ ...everything, priority: 2999, plain: false, words },
  ...rule,
});
const wgQuick = other("not from all fwmark 0xca6c lookup 99", { mark, further: inverted });
const fromLo = other("from all iif lo lookup 99", { further: { ...further, iif: "lo" } });
/** The kernel's own, without which nothing else would be found. */
const kernelRule: ObservedRule = { ...everything, ...main, priority: 32766, protocol: 2 };

function conflicts(observed: Partial<ObservedState>): readonly (readonly [string, string])[] {
  const { networks } = diffPlan({ ...nothing, defaultRoutes, ...observed }, plan);
  return networks.flatMap((network) => network.conflicts.map(({ reason, message }) => [reason, message] as const));
}

describe("E8: rules of others that take our packets before ours are reported", () => {
  const reported: readonly (readonly [string, ObservedRule, string])[] = [
    ["the same source, earlier", foreign, "1500 from 198.51.100.0/24 lookup 99"],
    ["a wider source", { ...foreign, from: "198.51.0.0/16" }, "1500 from 198.51.0.0/16 lookup 99"],
    ["one address of ours", { ...foreign, from: "198.51.100.7/32" }, "1500 from 198.51.100.7/32 lookup 99"],
    ["everything, to a table with a default route", everything, "1500 from all lookup 99"],
    ["everything, to main", { ...everything, ...main }, "1500 from all lookup 254"],
    ["everything, refused", { ...everything, action: { kind: "unreachable" } }, "1500 from all unreachable"],
    ["between exceptions and source rules", { ...foreign, priority: 4015 }, "4015 from 198.51.100.0/24 lookup 99"],
    ["a jump past ours", { ...everything, action: { kind: "goto", priority: 32766 } }, "1500 from all goto 32766"],
    [
      "ours, thrown away",
      { ...foreign, priority: 10, action: { kind: "other" }, words: "from 198.51.100.0/24 blackhole" },
      "10 from 198.51.100.0/24 blackhole",
    ],
    ["all but one mark, as wg-quick does", wgQuick, "2999 not from all fwmark 0xca6c lookup 99"],
    [
      "all but one mark, by a jump",
      { ...wgQuick, action: { kind: "goto", priority: 32766 }, words: "not from all fwmark 0xca6c goto 32766" },
      "2999 not from all fwmark 0xca6c goto 32766",
    ],
    [
      "all but what goes to one network",
      other("not from all to 10.0.0.0/8 lookup 99", { to: "10.0.0.0/8", further: inverted }),
      "2999 not from all to 10.0.0.0/8 lookup 99",
    ],
    [
      "all but one user's",
      other("not from all uidrange 5-7 lookup 99", { further: { ...inverted, others: true } }),
      "2999 not from all uidrange 5-7 lookup 99",
    ],
    [
      "all but what comes in by one interface",
      other("not from all iif eth7 lookup 99", { further: { ...inverted, iif: "eth7" } }),
      "2999 not from all iif eth7 lookup 99",
    ],
    [
      "all but other sources",
      other("not from 203.0.113.0/24 lookup 99", { from: "203.0.113.0/24", further: inverted }),
      "2999 not from 203.0.113.0/24 lookup 99",
    ],
    [
      "all but a part of ours",
      other("not from 198.51.100.0/25 lookup 99", { from: "198.51.100.0/25", further: inverted }),
      "2999 not from 198.51.100.0/25 lookup 99",
    ],
    [
      "ours but with one mark",
      other("not from 198.51.100.0/24 fwmark 0xca6c lookup 99", { from: "198.51.100.0/24", mark, further: inverted }),
      "2999 not from 198.51.100.0/24 fwmark 0xca6c lookup 99",
    ],
    ["all that the node sends", fromLo, "2999 from all iif lo lookup 99"],
    [
      "what the node sends from ours",
      { ...fromLo, from: "198.51.0.0/16", words: "from 198.51.0.0/16 iif lo lookup 99" },
      "2999 from 198.51.0.0/16 iif lo lookup 99",
    ],
    [
      "everything, with realms, which select nothing",
      other("from all lookup 99 realms 3", { further }),
      "2999 from all lookup 99 realms 3",
    ],
    [
      "everything, thrown away: there is no route to suppress",
      other("from all blackhole suppress_prefixlength 0", {
        action: { kind: "other" },
        further: { ...further, suppresses: true },
      }),
      "2999 from all blackhole suppress_prefixlength 0",
    ],
  ];
  for (const [what, rule, text] of reported) {
    test(what, () =>
      assert.deepEqual(conflicts({ rules: [rule, kernelRule] }), [
        [
          "ForeignRule",
          `another program's rule (protocol 0) at priority ${text} takes packets from 198.51.100.0/24 before ours at 4016; ` +
            "remove it or move it behind 4257",
        ],
      ]),
    );
  }

  const left: readonly (readonly [string, ObservedRule])[] = [
    ["another source", { ...foreign, from: "203.0.113.0/24" }],
    ["the other family", { ...everything, family: 6 }],
    ["the local table, which comes before all", { ...everything, priority: 0, action: { kind: "lookup", table: 255 } }],
    ["everything, to a table without a default route", { ...everything, action: { kind: "lookup", table: 220 } }],
    ["everything to one destination: somebody's exception", { ...everything, to: "10.0.0.0/8" }],
    ["marked packets alone (Cilium's at 9)", { ...everything, priority: 9, mark: { value: 0x200, mask: 0xf00 } }],
    ["with a selector that we cannot read", { ...foreign, plain: false }],
    ["behind ours", { ...everything, priority: 4018 }],
    ["main at its own place", { ...everything, ...main, priority: 32766 }],
    ["a jump that ends before ours", { ...everything, action: { kind: "goto", priority: 3000 } }],
    [
      "main without its default route",
      other("from all lookup 254 suppress_prefixlength 0", { ...main, further: { ...further, suppresses: true } }),
    ],
    [
      "main without its default route, but for one mark",
      other("not from all fwmark 0xca6c lookup 254 suppress_prefixlength 0", {
        ...{ ...main, mark },
        further: { ...inverted, suppresses: true },
      }),
    ],
    ["all but one mark, to a table without a default route", { ...wgQuick, action: { kind: "lookup", table: 220 } }],
    ["all but one mark, behind ours", { ...wgQuick, priority: 4018 }],
    ["all but one mark, of the other family", { ...wgQuick, family: 6 }],
    ["all but our sources", other("not from 198.51.0.0/16 lookup 99", { from: "198.51.0.0/16", further: inverted })],
    ["all but everything", other("not from all lookup 99", { further: inverted })],
    ["what the node sends from elsewhere", { ...fromLo, from: "203.0.113.0/24" }],
    ["what the node sends to one destination", { ...fromLo, to: "10.0.0.0/8" }],
    ["what the node sends with one mark", { ...fromLo, mark }],
    ["what the node sends to one port", { ...fromLo, further: { ...further, iif: "lo", others: true } }],
    ["what comes in by a bridge of pods", { ...fromLo, further: { ...further, iif: "cni0" } }],
    ["one program's ports", { ...foreign, plain: false, further: { ...further, others: true } }],
    ["no operation", { ...wgQuick, action: { kind: "other" }, further: { ...inverted, idle: true } }],
    [
      "a jump without a target",
      { ...everything, action: { kind: "goto", priority: 32000 }, plain: false, further: { ...further, idle: true } },
    ],
    ["our own", { ...foreign, protocol: 118 }],
  ];
  for (const [what, rule] of left) {
    test(`not ${what}`, () => assert.deepEqual(conflicts({ rules: [rule, kernelRule] }), []));
  }

  test("none of them is changed, and all of ours is set", () => {
    const { departed, networks } = diffPlan({ ...nothing, defaultRoutes, rules: [foreign, everything] }, plan);
    assert.deepEqual(departed, []);
    assert.deepEqual(
      networks.map(({ rules, additions, removals }) => [rules.length, additions.length, removals.length]),
      [[3, 2, 0]],
    );
  });
});

describe("the kernel's rule that looks up the main table", () => {
  const localRule: ObservedRule = { ...kernelRule, priority: 0, action: { kind: "lookup", table: 255 } };
  const missing: readonly (readonly [string, string])[] = [
    [
      "MainTableNotLookedUp",
      "no IPv4 rule looks up the main table for all packets: requests find no way to pods and other nodes; " +
        "bring it back with: ip -4 rule add priority 32766 lookup main",
    ],
  ];

  test("is missed where no rule does that", () => assert.deepEqual(conflicts({ rules: [localRule] }), missing));
  test("is missed although our exceptions look main up", () => {
    const exception: ObservedRule = { ...kernelRule, priority: 3000, protocol: 118, to: "10.244.0.0/16" };
    assert.deepEqual(conflicts({ rules: [localRule, exception] }), missing);
  });
  test("is missed where main is looked up for a part alone", () => {
    assert.deepEqual(conflicts({ rules: [localRule, { ...kernelRule, to: "10.244.0.0/16" }] }), missing);
    assert.deepEqual(conflicts({ rules: [localRule, { ...kernelRule, family: 6 }] }), missing);
    for (const part of [inverted, { ...further, others: true }, { ...further, iif: "eth7" }]) {
      assert.deepEqual(conflicts({ rules: [localRule, { ...kernelRule, plain: false, further: part }] }), missing);
    }
  });
  test("may stand elsewhere behind ours, and leave out main's default route", () => {
    assert.deepEqual(conflicts({ rules: [localRule, { ...kernelRule, priority: 20000 }] }), []);
    const suppressing = { ...kernelRule, plain: false, further: { ...further, suppresses: true } };
    assert.deepEqual(conflicts({ rules: [localRule, suppressing] }), []);
  });
  test("is not asked for in a family without rules", () => assert.deepEqual(conflicts({ rules: [] }), []));
});

describe("E8: routes of others in our tables are reported", () => {
  const route: ObservedRoute = {
    family: 4,
    table: 220,
    destination: "10.0.0.0/8",
    protocol: 3,
    device: "eth0",
    gateway: "10.0.7.9",
    onlink: false,
    plain: true,
  };
  const message = (what: string): readonly (readonly [string, string])[] => [
    ["ForeignRoute", `table 220 holds another program's route ${what} (protocol 3); remove it or set routing.table`],
  ];

  const onlyGuard = [
    "ForeignRoute",
    "no rule looks up table 220 while another program's IPv4 default route is in it: packets of this network are answered " +
      'with "unreachable"; see it with: ip -4 route show table 220',
  ] as const;

  test("beside ours, which are set all the same", () => {
    assert.deepEqual(conflicts({ routes: [route] }), message("10.0.0.0/8 via 10.0.7.9 dev eth0"));
    const { networks } = diffPlan({ ...nothing, routes: [route] }, plan);
    assert.deepEqual([networks[0]?.rules.length, networks[0]?.additions.length], [3, 2]);
  });

  test("with the destination of one of ours, once: ours is left out", () => {
    const held = { ...route, destination: "default" };
    assert.deepEqual(conflicts({ routes: [held] }), [onlyGuard, ...message("default via 10.0.7.9 dev eth0")]);
    const { networks } = diffPlan({ ...nothing, routes: [held] }, plan);
    assert.deepEqual([networks[0]?.rules.length, networks[0]?.additions.length], [2, 1]);
  });

  test("with our default's destination: only the guard stays, and our lookup rule goes", () => {
    const held = { ...route, destination: "default" };
    const [public220] = plan.networks;
    const rules = (public220?.rules ?? []).map((rule): ObservedRule => ({ ...rule, protocol: 118, plain: true }));
    const diff = diffPlan({ ...nothing, rules, routes: [held] }, plan);
    assert.deepEqual(diff.networks[0]?.rules.map(operationText), []);
    assert.deepEqual(diff.networks[0]?.removals.map(operationText), [
      "ip -4 rule del priority 4016 from 198.51.100.0/24 protocol 118 lookup 220",
    ]);
    const elsewhere = diffPlan({ ...nothing, rules, routes: [{ ...held, table: 221 }] }, plan);
    assert.deepEqual(elsewhere.networks[0]?.removals, []);
  });

  test("not in other tables, nor of the other family, nor where they go with an interface that is made again", () => {
    assert.deepEqual(
      conflicts({
        routes: [
          { ...route, table: 221 },
          { ...route, family: 6 },
        ],
      }),
      [],
    );
    assert.deepEqual(conflicts({ routes: [{ ...route, device: "vlan220" }] }), []);
  });
});

test("an interface of ours that was made a port of a bridge is taken out of it", () => {
  const link = {
    ...{ name: "vlan220", kind: "vlan", alias: "vlan-router:public", group: 118118118, mtu: 1500, up: true },
    ...{ parent: "bond0", vlan: { id: 220 }, master: "br0" },
  };
  const { networks } = diffPlan({ ...nothing, links: [link] }, plan);
  assert.deepEqual(networks[0]?.link, [{ kind: "ip", command: "ip link set dev vlan220 nomaster" }]);
});
