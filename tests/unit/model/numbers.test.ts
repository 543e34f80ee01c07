import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  aliasOf,
  assignMarks,
  ciliumMarkMask,
  gobgpPort,
  interfaceName,
  markMask,
  type NetworkSpec,
  networkOfAlias,
  networkTable,
  type Routing,
  routeDistinguisher,
  routeTargets,
  routingTable,
  rulePriorities,
  segmentInterfaceName,
  unknownValue,
  type VxlanNetworkSpec,
  vxlanMac,
} from "../../../model/index.js";
import { configurationOf, document, vxlanNetwork } from "./samples.js";

function vxlanSpec(vni: number, bridge = false): VxlanNetworkSpec {
  return { type: "vxlan", vxlan: { vni, nodeNet: "10.0.7.0/24", port: 4789, bridge }, routing: [] };
}

function vlanSpec(id: number): NetworkSpec {
  return { type: "vlan", vlan: { parent: "bond0", id }, routing: [] };
}

const vni = fc.integer({ min: 1, max: 16_777_215 });

test("the table is the segment's number unless it is named", () => {
  const routing: Pick<Routing, "table"> = {};
  assert.equal(routingTable(vxlanSpec(228), routing), 228);
  assert.equal(routingTable(vlanSpec(220), routing), 220);
  assert.equal(routingTable(vlanSpec(220), { table: 1220 }), 1220);
});

describe("the network's table", () => {
  const halves = (first: number | undefined, second: number | undefined) =>
    [first, second].map((table, index) => ({
      cidr: index === 0 ? "203.0.113.0/25" : "203.0.113.128/25",
      gateway: index === 0 ? "203.0.113.1" : "203.0.113.129",
      ...(table === undefined ? {} : { table }),
    }));
  const cases: readonly (readonly [first: number | undefined, second: number | undefined, table: number])[] = [
    [undefined, 1300, 228],
    [100, undefined, 228],
    [100, 228, 228],
    [1400, 1300, 1300],
  ];

  for (const [first, second, table] of cases) {
    test(`is ${table} of ${first ?? "none"} and ${second ?? "none"}, in both orders`, () => {
      const routing = halves(first, second);
      for (const order of [routing, routing.toReversed()]) {
        const [network] = configurationOf(document(vxlanNetwork({}, {}, { routing: order }))).networks;
        assert.ok(network);
        assert.equal(networkTable(network), table);
      }
    });
  }

  test("waits for a VNI that is not known only where one of several tables may be its number", () => {
    const tableOf = (...tables: readonly number[]) => {
      const spec = vxlanSpec(unknownValue as unknown as number);
      const subnet = { gateway: "203.0.113.1", onlink: false, returnPath: "auto" } as const;
      const arpAnnouncer = { enabled: false, interval: 60 };
      const routing = tables.map((table) => ({ ...subnet, cidr: "203.0.113.0/24", table, arpAnnouncer }));
      return networkTable({ ...spec, routing });
    };
    assert.equal(tableOf(1300), 1300);
    assert.equal(tableOf(1300, 1400), unknownValue);
  });
});

describe("interface name", () => {
  test("is the type and the number", () => {
    assert.equal(interfaceName(vxlanSpec(228)), "vxlan228");
    assert.equal(interfaceName(vxlanSpec(16_777_215)), "vxlan16777215");
    assert.equal(interfaceName(vlanSpec(4094)), "vlan4094");
  });

  test("is that of the bridge where there is one, beside the segment's own", () => {
    assert.deepEqual(
      [vxlanSpec(228, true), vxlanSpec(16_777_215, true)].map((spec) => [
        interfaceName(spec),
        segmentInterfaceName(spec),
      ]),
      [
        ["br228", "vxlan228"],
        ["br16777215", "vxlan16777215"],
      ],
    );
  });

  // MetalLB's default list, charts/metallb/templates/exclude-l2-config.yaml.
  const excluded = /^(docker|cbr|dummy|virbr|lxcbr|veth|lo$|cali|tunl|flannel|kube-ipvs|cni|nodelocaldns|lxc)/;
  test("D10: fits the kernel and is not excluded by MetalLB", () => {
    fc.assert(
      fc.property(vni, fc.boolean(), (id, bridge) => {
        const name = interfaceName(vxlanSpec(id, bridge));
        assert.ok(name.length <= 15);
        assert.doesNotMatch(name, excluded);
      }),
    );
    assert.doesNotMatch(interfaceName(vlanSpec(220)), excluded);
  });
});

describe("GoBGP port", () => {
  for (const [id, port] of [
    [228, 20_228],
    [10_000, 20_000],
    [65_764, 25_764],
    [16_777_215, 27_215],
  ] as const) {
    test(`${id} has ${port}`, () => assert.equal(gobgpPort(vxlanSpec(id)), port));
  }

  test("is clear of NodePorts and ephemeral ports for every VNI", () => {
    fc.assert(fc.property(vni, (id) => gobgpPort(vxlanSpec(id)) >= 20_000 && gobgpPort(vxlanSpec(id)) < 30_000));
  });

  test("is overridden", () => {
    const bgp = { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"], gobgpPort: 50_051 };
    const [network] = configurationOf(document(vxlanNetwork({ bgp }))).networks;
    assert.equal(gobgpPort(network as VxlanNetworkSpec), 50_051);
  });
});

describe("rule priorities", () => {
  test("of a /24", () => {
    assert.deepEqual(rulePriorities(4, 24), {
      exception: 3000,
      mark: 3900,
      markGuard: 3901,
      source: 4016,
      sourceGuard: 4017,
    });
  });

  test("at the ends: a host first, the whole family last", () => {
    assert.equal(rulePriorities(4, 32).source, 4000);
    assert.equal(rulePriorities(4, 0).sourceGuard, 4065);
    assert.equal(rulePriorities(6, 64).source, 4128);
    assert.equal(rulePriorities(6, 0).sourceGuard, 4257);
  });

  test("a longer prefix and its guard stand before every shorter one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 127 }), (length) => {
        assert.ok(rulePriorities(6, length + 1).sourceGuard < rulePriorities(6, length).source);
      }),
    );
  });
});

describe("route distinguisher and targets", () => {
  const bgp = { myAsn: 65001, peerAsn: 65002, peers: [], holdTime: 30 };

  test("the number is the VNI modulo 65536", () => {
    assert.equal(routeDistinguisher(vxlanSpec(228).vxlan, "10.0.7.5"), "10.0.7.5:228");
    assert.equal(routeDistinguisher(vxlanSpec(65_764).vxlan, "10.0.7.5"), "10.0.7.5:228");
    const named = { ...vxlanSpec(228).vxlan, bgp: { ...bgp, routeDistinguisher: "10.0.0.1:7" } };
    assert.equal(routeDistinguisher(named, "10.0.7.5"), "10.0.0.1:7");
  });

  test("eBGP imports both sides' automatic targets and exports its own", () => {
    assert.deepEqual(routeTargets(bgp, 228), { import: ["65001:228", "65002:228"], export: ["65001:228"] });
    assert.deepEqual(routeTargets({ ...bgp, peerAsn: 65001 }, 228), { import: ["65001:228"], export: ["65001:228"] });
  });

  test("a named target is the only one", () => {
    assert.deepEqual(routeTargets({ ...bgp, routeTarget: "65001:1" }, 228), {
      import: ["65001:1"],
      export: ["65001:1"],
    });
  });
});

describe("MAC of a VXLAN interface", () => {
  // printf '10.0.7.11 228' | sha256sum gives 863c32dd762b…; printf '2001:db8::11 16777215' | sha256sum gives 4d80e6f47c31….
  test("is the hash of address and VNI with the administration bits set", () => {
    assert.equal(vxlanMac("10.0.7.11", 228), "86:3c:32:dd:76:2b");
    assert.equal(vxlanMac("2001:db8::11", 16_777_215), "4e:80:e6:f4:7c:31");
  });

  test("does not depend on how the address is written", () => {
    assert.equal(vxlanMac("2001:0DB8:0::11", 16_777_215), "4e:80:e6:f4:7c:31");
  });

  test("is a locally administered unicast address", () => {
    fc.assert(
      fc.property(fc.ipV4(), vni, (vtep, id) => {
        const mac = vxlanMac(vtep, id);
        assert.match(mac, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
        assert.equal(Number.parseInt(mac.slice(0, 2), 16) & 0b11, 0b10);
      }),
    );
  });
});

describe("marks", () => {
  const held = (table: number, value: number, mask = markMask) => ({ table, mark: { value, mask } });
  const values = (tables: readonly number[], existing: Parameters<typeof assignMarks>[1] = [], mask = markMask) =>
    [...assignMarks(tables, existing, mask).marks].map(([table, mark]) => [table, mark.value]).sort();

  test("the masks miss the bits of kube-proxy, Calico and Tailscale, and of Cilium", () => {
    assert.equal(markMask, 0x3ff0);
    assert.equal(markMask & (0x4000 | 0x8000 | 0xffff0000 | 0xff0000), 0);
    assert.equal(ciliumMarkMask & (0x4000 | 0x8000 | 0x0f00), 0);
  });

  test("start at the lowest value, in the order of the tables", () => {
    assert.deepEqual(values([300, 228]), [
      [228, 0x10],
      [300, 0x20],
    ]);
  });

  test("that the kernel holds are kept", () => {
    assert.deepEqual(values([220, 228], [held(228, 0x10)]), [
      [220, 0x20],
      [228, 0x10],
    ]);
  });

  test("of a table that goes are not given to another while others are left", () => {
    assert.deepEqual(values([228], [held(999, 0x10)]), [[228, 0x20]]);
  });

  test("of another mask, outside the mask or held twice are not taken over", () => {
    const odd = [held(228, 0x1000, 0x3000), held(228, 0x8), held(220, 0x20), held(230, 0x20)];
    assert.deepEqual(values([220, 228, 230], odd), [
      [220, 0x20],
      [228, 0x10],
      [230, 0x30],
    ]);
  });

  test("run out with the mask, and the last ones take those of tables that go", () => {
    const result = assignMarks([1, 2, 3, 4], [held(9, 0x1000, 0x3000)], 0x3000);
    assert.deepEqual(
      [...result.marks].map(([table, mark]) => [table, mark.value]),
      [
        [1, 0x2000],
        [2, 0x3000],
        [3, 0x1000],
      ],
    );
    assert.deepEqual(result.exhausted, [4]);
  });

  test("are distinct, inside the mask, and stay when they are read back from the kernel", () => {
    const tables = fc.uniqueArray(fc.integer({ min: 1, max: 5000 }), { maxLength: 40 });
    fc.assert(
      fc.property(tables, tables, (before, after) => {
        const first = assignMarks(before, []);
        const facts = [...first.marks].map(([table, mark]) => ({ table, mark }));
        const next = assignMarks(after, facts);
        const given = [...next.marks.values()].map((mark) => mark.value);
        assert.equal(new Set(given).size, after.length);
        assert.ok(given.every((value) => value !== 0 && (value & ~markMask) === 0));
        for (const table of after)
          if (first.marks.has(table)) assert.deepEqual(next.marks.get(table), first.marks.get(table));
        assert.deepEqual(assignMarks(after.toReversed(), facts.toReversed()).marks, next.marks);
      }),
    );
  });
});

test("the alias names the network of an interface, and only of ours", () => {
  assert.equal(aliasOf("vxlan228"), "vlan-router:vxlan228");
  assert.equal(networkOfAlias("vlan-router:vxlan228"), "vxlan228");
  assert.equal(networkOfAlias("uplink to rack 4"), undefined);
  assert.equal(networkOfAlias(undefined), undefined);
});
