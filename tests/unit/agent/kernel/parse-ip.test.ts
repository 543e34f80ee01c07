import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseForwarding } from "../../../../agent-image/agent/kernel/parse-bridge.js";
import { parseAddresses, parseLinks, parseRoutes, parseRules } from "../../../../agent-image/agent/kernel/parse-ip.js";

// All texts below were printed by iproute2 6.1.0 (Debian 12), shortened by keys that nobody reads.

describe("links and addresses of `ip -details -json address show`", () => {
  const text = `[
    {"ifindex":2,"link":"peer0","ifname":"eth0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1500,"link_type":"ether",
     "address":"ca:a8:72:6d:66:e9","linkinfo":{"info_kind":"veth"},
     "addr_info":[{"family":"inet","local":"10.0.7.5","prefixlen":24,"scope":"global","label":"eth0"},
                  {"family":"inet","local":"10.0.7.6","prefixlen":24,"scope":"global","secondary":true,"label":"eth0"},
                  {"family":"inet6","local":"fe80::c8a8:72ff:fe6d:66e9","prefixlen":64,"scope":"link","tentative":true}]},
    {"ifindex":4,"ifname":"vxlan228","flags":["BROADCAST","MULTICAST"],"mtu":1450,"address":"02:00:00:00:00:01",
     "linkinfo":{"info_kind":"vxlan","info_data":{"id":228,"local":"10.0.7.5","port_range":{"low":0,"high":0},"port":4789,"learning":false,"ttl":0}},
     "ifalias":"vlan-router:public","addr_info":[]},
    {"ifindex":5,"ifname":"vxlan229","flags":[],"mtu":1450,"address":"02:00:00:00:00:02",
     "linkinfo":{"info_kind":"vxlan","info_data":{"id":229,"local6":"2001:db8::5","port":4789,"learning":true}},"addr_info":[]},
    {"ifindex":6,"link":"bond0","ifname":"vlan220","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1500,"address":"02:00:00:00:00:03",
     "linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1Q","id":220,"flags":["REORDER_HDR"]}},"addr_info":[]}]`;

  test("links", () => {
    assert.deepEqual(parseLinks(text), [
      { name: "eth0", kind: "veth", mtu: 1500, up: true, mac: "ca:a8:72:6d:66:e9", parent: "peer0" },
      {
        name: "vxlan228",
        kind: "vxlan",
        alias: "vlan-router:public",
        mtu: 1450,
        up: false,
        mac: "02:00:00:00:00:01",
        vxlan: { vni: 228, port: 4789, local: "10.0.7.5", learning: false },
      },
      {
        name: "vxlan229",
        kind: "vxlan",
        mtu: 1450,
        up: false,
        mac: "02:00:00:00:00:02",
        vxlan: { vni: 229, port: 4789, local: "2001:db8::5", learning: true },
      },
      {
        name: "vlan220",
        kind: "vlan",
        mtu: 1500,
        up: true,
        withoutLinkLocal: true,
        mac: "02:00:00:00:00:03",
        parent: "bond0",
        vlan: { id: 220 },
      },
    ]);
  });

  // iproute2 6.1 on interfaces made with `group 118118118`, with `group 7`, which had a name in /etc/iproute2/group, and without.
  test("the group of a link, where it has a number alone", () => {
    const grouped = `[{"ifname":"br228","flags":["BROADCAST"],"mtu":1500,"group":"118118118"},
      {"ifname":"br7","flags":["BROADCAST"],"mtu":1500,"group":"uplinks"},
      {"ifname":"br8","flags":["BROADCAST"],"mtu":1500,"group":"default"}]`;
    assert.deepEqual(
      parseLinks(grouped).map(({ group }) => group),
      [118_118_118, undefined, undefined],
    );
  });

  // iproute2 6.1 on an interface made with: ip link add cilium_vxlan type vxlan external dstport 8472.
  test("a VXLAN interface in metadata mode", () => {
    const external = `[{"ifindex":2,"ifname":"cilium_vxlan","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1500,
      "address":"2e:16:09:3a:80:00","linkinfo":{"info_kind":"vxlan","info_data":{"external":true,"id":0,
      "port_range":{"low":0,"high":0},"port":8472,"learning":false,"ttl":0,"df":"unset","ageing":300,"udp_csum":true}},
      "addr_info":[]}]`;
    assert.deepEqual(
      parseLinks(external).map(({ vxlan }) => vxlan),
      [{ vni: 0, port: 8472, learning: false, external: true }],
    );
  });

  test("addresses, with what makes them unfit as VTEP", () => {
    const fit = { device: "eth0", secondary: false, deprecated: false, tentative: false };
    assert.deepEqual(parseAddresses(text), [
      { ...fit, family: 4, address: "10.0.7.5", prefixLength: 24 },
      { ...fit, family: 4, address: "10.0.7.6", prefixLength: 24, secondary: true },
      { ...fit, family: 6, address: "fe80::c8a8:72ff:fe6d:66e9", prefixLength: 64, tentative: true },
    ]);
  });
});

describe("routes of `ip -Numeric`", () => {
  test("IPv4: gateway, onlink, a host route, another type and several next hops", () => {
    const text = `[
      {"type":"1","dst":"default","gateway":"203.0.113.1","dev":"vxlan228","table":"228","protocol":"118","scope":"0","flags":["onlink"]},
      {"type":"1","dst":"203.0.113.0/24","dev":"vxlan228","table":"228","protocol":"118","scope":"253","flags":[]},
      {"type":"2","dst":"10.0.7.5","dev":"eth0","table":"255","protocol":"2","scope":"254","prefsrc":"10.0.7.5","flags":[]},
      {"type":"1","dst":"default","table":"228","protocol":"3","scope":"0","flags":[],
       "nexthops":[{"gateway":"10.0.7.1","dev":"eth0","weight":1,"flags":[]},{"gateway":"10.0.7.2","dev":"eth0","weight":1,"flags":[]}]}]`;
    assert.deepEqual(parseRoutes(4, text), [
      {
        family: 4,
        table: 228,
        destination: "default",
        protocol: 118,
        device: "vxlan228",
        gateway: "203.0.113.1",
        onlink: true,
        plain: true,
      },
      {
        family: 4,
        table: 228,
        destination: "203.0.113.0/24",
        protocol: 118,
        device: "vxlan228",
        onlink: false,
        plain: true,
      },
      {
        family: 4,
        table: 255,
        destination: "10.0.7.5/32",
        protocol: 2,
        device: "eth0",
        onlink: false,
        plain: false,
        words: "local 10.0.7.5/32 dev eth0 src 10.0.7.5",
      },
      { family: 4, table: 228, destination: "default", protocol: 3, onlink: false, plain: false, words: "default" },
    ]);
  });

  // Linux 6.18; each was deleted alone by the words beside it, followed by `table 228 proto 118`.
  describe("with our protocol and more than we write: what tells it apart when it is deleted", () => {
    const common = `"protocol":"118","table":"228","flags":[]`;
    const ipv4 = [
      [
        `"type":"1","dst":"default","tos":"0x10","gateway":"203.0.113.1","dev":"v","scope":"0"`,
        "default tos 0x10 via 203.0.113.1 dev v",
        true,
      ],
      [
        `"type":"1","dst":"default","gateway":"203.0.113.1","dev":"v","scope":"0","metric":5`,
        "default via 203.0.113.1 dev v metric 5",
        true,
      ],
      [
        `"type":"1","dst":"default","gateway":"203.0.113.1","dev":"v","scope":"0","metrics":[{"mtu":1400,"advmss":1300}]`,
        "default via 203.0.113.1 dev v mtu 1400 advmss 1300",
        false,
      ],
      [
        `"type":"1","dst":"default","gateway":"203.0.113.1","dev":"v","scope":"0","prefsrc":"10.9.9.9"`,
        "default via 203.0.113.1 dev v src 10.9.9.9",
        false,
      ],
      [
        `"type":"1","dst":"default","gateway":"203.0.113.1","dev":"v","scope":"0","flow":{"to":"3"}`,
        "default via 203.0.113.1 dev v",
        false,
      ],
      [
        `"type":"1","dst":"default","scope":"0","metric":10,"nexthops":[{"gateway":"203.0.113.1","dev":"v","weight":1,"flags":[]},{"gateway":"203.0.113.2","dev":"v","weight":1,"flags":[]}]`,
        "default metric 10",
        true,
      ],
      [`"type":"7","dst":"default","scope":"0","metric":11`, "unreachable default metric 11", true],
      [
        `"type":"1","dst":"default","via":{"family":"inet6","host":"fe80::1"},"dev":"v","scope":"0"`,
        "default via inet6 fe80::1 dev v",
        false,
      ],
      [
        `"type":"1","dst":"1.1.4.0/24","nhid":7,"gateway":"203.0.113.9","dev":"v","scope":"0"`,
        "1.1.4.0/24 nhid 7",
        false,
      ],
      [`"type":"1","dst":"203.0.113.0/24","dev":"v","scope":"0"`, "203.0.113.0/24 dev v", false],
    ] as const;
    const ipv6 = [
      [
        `"type":"1","dst":"default","gateway":"2001:db8::1","dev":"v","scope":"0","metric":5,"pref":"medium"`,
        "default via 2001:db8::1 dev v metric 5",
        true,
      ],
      [
        `"type":"1","dst":"default","gateway":"2001:db8::1","dev":"v","scope":"0","metric":1024,"metrics":[{"mtu":1400}],"pref":"medium"`,
        "default via 2001:db8::1 dev v metric 1024",
        false,
      ],
      [
        `"type":"1","dst":"default","gateway":"2001:db8::1","dev":"v","scope":"0","metric":1024,"pref":"high"`,
        "default via 2001:db8::1 dev v metric 1024",
        false,
      ],
      [
        `"type":"1","dst":"default","from":"2001:db8:9::/48","gateway":"2001:db8::1","dev":"v","scope":"0","metric":1024,"pref":"medium"`,
        "default from 2001:db8:9::/48 via 2001:db8::1 dev v metric 1024",
        true,
      ],
      [
        `"type":"7","dst":"default","dev":"lo","scope":"0","metric":1024,"pref":"medium"`,
        "unreachable default dev lo metric 1024",
        false,
      ],
    ] as const;
    for (const [family, forms] of [
      [4, ipv4],
      [6, ipv6],
    ] as const) {
      for (const [keys, words, apart] of forms) {
        test(`IPv${family} ${words}`, () => {
          const [route] = parseRoutes(family, `[{${keys},${common}}]`);
          assert.deepEqual([route?.plain, route?.words, route?.apart ?? false], [false, words, apart]);
        });
      }
    }
    test("what the kernel adds to those of ours by itself is nothing more", () => {
      const [route] = parseRoutes(
        6,
        `[{"type":"1","dst":"default","gateway":"fe80::1","dev":"v","scope":"0","metric":1024,"pref":"medium",${common}}]`,
      );
      assert.deepEqual([route?.plain, route?.words], [true, undefined]);
    });
  });

  test("nothing", () => {
    assert.deepEqual(parseRoutes(6, "[]\n"), []);
    assert.deepEqual(parseRoutes(6, ""), []);
  });
});

describe("rules of `ip -Numeric`", () => {
  test("selectors, actions, protocol", () => {
    const text = `[{"priority":0,"src":"all","table":"255","protocol":"2"},
      {"priority":3000,"src":"all","dst":"10.244.0.0","dstlen":16,"fwmark":"0x10","fwmask":"0x3ff0","table":"254","protocol":"118"},
      {"priority":3901,"src":"all","fwmark":"0x10","action":"7","protocol":"118"},
      {"priority":4015,"src":"203.0.113.7","iif":"eth0","table":"228","protocol":"0"},
      {"priority":4016,"not":null,"src":"203.0.113.0","srclen":24,"table":"228","protocol":"118"}]`;
    assert.deepEqual(parseRules(4, text), [
      { family: 4, priority: 0, protocol: 2, action: { kind: "lookup", table: 255 }, plain: true },
      {
        family: 4,
        priority: 3000,
        protocol: 118,
        to: "10.244.0.0/16",
        mark: { value: 0x10, mask: 0x3ff0 },
        action: { kind: "lookup", table: 254 },
        plain: true,
      },
      {
        family: 4,
        priority: 3901,
        protocol: 118,
        mark: { value: 0x10, mask: 0xffffffff },
        action: { kind: "unreachable" },
        plain: true,
      },
      {
        family: 4,
        priority: 4015,
        protocol: 0,
        from: "203.0.113.7/32",
        action: { kind: "lookup", table: 228 },
        plain: false,
        further: { inverted: false, iif: "eth0", others: false, suppresses: false, idle: false },
        words: "from 203.0.113.7 iif eth0 lookup 228",
      },
      {
        family: 4,
        priority: 4016,
        protocol: 118,
        from: "203.0.113.0/24",
        action: { kind: "lookup", table: 228 },
        plain: false,
        further: { inverted: true, others: false, suppresses: false, idle: false },
        words: "not from 203.0.113.0/24 lookup 228",
      },
    ]);
  });

  // Linux 6.18; each was deleted alone by the words beside it, preceded by `priority 4016 protocol 118`.
  describe("forms that we never write: what tells them apart when they are deleted", () => {
    const source = `"src":"203.0.113.0","srclen":24`;
    const forms = [
      [
        `${source},"iif":"lo","oif":"lo","dport_start":1,"dport_end":4,"table":"228"`,
        "from 203.0.113.0/24 iif lo oif lo dport 1-4 lookup 228",
      ],
      [`${source},"oif":"eth7","oif_detached":null,"table":"228"`, "from 203.0.113.0/24 oif eth7 lookup 228"],
      [`${source},"tos":"0x10","table":"228"`, "from 203.0.113.0/24 tos 0x10 lookup 228"],
      [`${source},"ipproto":"ipproto-6","dport":80,"table":"228"`, "from 203.0.113.0/24 ipproto 6 dport 80 lookup 228"],
      [
        `${source},"ipproto":"ipproto-17","sport_start":80,"sport_end":90,"table":"228"`,
        "from 203.0.113.0/24 ipproto 17 sport 80-90 lookup 228",
      ],
      [`${source},"uid_start":5,"uid_end":7,"table":"228"`, "from 203.0.113.0/24 uidrange 5-7 lookup 228"],
      [`${source},"table":"228","suppress_prefixlen":0`, "from 203.0.113.0/24 lookup 228 suppress_prefixlength 0"],
      [`${source},"table":"228","suppress_ifgroup":"7"`, "from 203.0.113.0/24 lookup 228 suppress_ifgroup 7"],
      [`${source},"tun_id":5,"table":"228"`, "from 203.0.113.0/24 tun_id 5 lookup 228"],
      [`${source},"table":"228","flow_from":"3","flow_to":"4"`, "from 203.0.113.0/24 lookup 228 realms 3/4"],
      [`${source},"table":"228","flow_to":"4"`, "from 203.0.113.0/24 lookup 228 realms 4"],
      [`${source},"goto":32000,"unresolved":null`, "from 203.0.113.0/24 goto 32000"],
      [`${source},"nop":null`, "from 203.0.113.0/24 nop"],
      [`${source},"action":"6"`, "from 203.0.113.0/24 blackhole"],
      [`${source},"action":"8"`, "from 203.0.113.0/24 prohibit"],
      [`"src":"all","l3mdev":null,"action":"7"`, "from all l3mdev unreachable"],
      [`"not":null,"src":"all","fwmark":"0x5","fwmask":"0xf","table":"228"`, "not from all fwmark 0x5/0xf lookup 228"],
      // `nat 1.2.3.4`, whose address iproute2 does not print.
      [`${source},"table":"254","masquerade":null`, undefined],
    ] as const;
    for (const [keys, words] of forms) {
      test(`${words}`, () => {
        assert.equal(parseRules(4, `[{"priority":4016,${keys},"protocol":"118"}]`)[0]?.words, words);
      });
    }
  });

  describe("what they have beside source, destination and mark", () => {
    const none = { inverted: false, others: false, suppresses: false, idle: false };
    const forms = [
      [`"src":"all","iif":"lo","table":"51820"`, { ...none, iif: "lo" }],
      [`"src":"all","iif":"lo","table":"51820","flow_to":"3"`, { ...none, iif: "lo" }],
      [`"src":"all","iif":"wg0","iif_detached":null,"table":"51820"`, { ...none, iif: "wg0" }],
      [`"not":null,"src":"all","fwmark":"0xca6c","table":"51820"`, { ...none, inverted: true }],
      [`"src":"all","table":"254","suppress_prefixlen":0`, { ...none, suppresses: true }],
      [`"src":"all","table":"254","suppress_ifgroup":"7"`, { ...none, suppresses: true }],
      [`"src":"all","ipproto":"ipproto-6","dport":22,"table":"7"`, { ...none, others: true }],
      [`"src":"all","uid_start":5,"uid_end":7,"table":"7"`, { ...none, others: true }],
      [`"src":"all","oif":"eth7","table":"7"`, { ...none, others: true }],
      [`"src":"all","l3mdev":null`, { ...none, others: true }],
      [`"src":"all","selector_of_a_later_kernel":1,"table":"7"`, { ...none, others: true }],
      [`"src":"all","nop":null`, { ...none, idle: true }],
      [`"src":"all","goto":40000,"unresolved":null`, { ...none, idle: true }],
      [`"src":"all","table":"7","flow_from":"3","flow_to":"4"`, none],
      [`"src":"all","fwmark":"0x5","table":"7"`, undefined],
    ] as const;
    for (const [keys, further] of forms) {
      test(keys, () =>
        assert.deepEqual(parseRules(4, `[{"priority":2999,${keys},"protocol":"0"}]`)[0]?.further, further),
      );
    }
  });

  test("IPv6", () => {
    const text = `[{"priority":4064,"src":"2001:db8::","srclen":64,"table":"228","protocol":"118"}]`;
    assert.deepEqual(parseRules(6, text), [
      {
        family: 6,
        priority: 4064,
        protocol: 118,
        from: "2001:db8::/64",
        action: { kind: "lookup", table: 228 },
        plain: true,
      },
    ]);
  });
});

test("forwarding entries of `bridge -json fdb show`: those with a VTEP", () => {
  const text = `[{"mac":"02:aa:00:00:00:06","dst":"10.0.7.9","flags":["self","extern_learn"],"state":"permanent"},
    {"mac":"00:00:00:00:00:00","dst":"10.0.7.8","flags":["self"],"state":"permanent"},
    {"mac":"33:33:00:00:00:01","flags":["self"],"state":"permanent"}]`;
  assert.deepEqual(parseForwarding(text), [
    { mac: "02:aa:00:00:00:06", vtep: "10.0.7.9", external: true },
    { mac: "00:00:00:00:00:00", vtep: "10.0.7.8", external: false },
  ]);
});

test("the port of a bridge, and a VLAN interface of 802.1ad, which is another segment than that of 802.1Q with its id", () => {
  const text = `[{"ifindex":5,"ifname":"vxlan228","flags":["UP"],"mtu":1450,"master":"br228","address":"02:00:00:00:00:05",
      "linkinfo":{"info_kind":"vxlan","info_data":{"id":228,"local":"10.0.7.5","port":4789,"learning":false},
      "info_slave_kind":"bridge","info_slave_data":{"state":"forwarding","learning":true,"neigh_suppress":false}}},
    {"ifindex":6,"link":"bond0","ifname":"outer","flags":[],"mtu":1500,
      "linkinfo":{"info_kind":"vlan","info_data":{"protocol":"802.1ad","id":220,"flags":["REORDER_HDR"]}}}]`;
  assert.deepEqual(parseLinks(text), [
    {
      name: "vxlan228",
      kind: "vxlan",
      mtu: 1450,
      up: true,
      mac: "02:00:00:00:00:05",
      master: "br228",
      portLearning: true,
      vxlan: { vni: 228, port: 4789, local: "10.0.7.5", learning: false },
    },
    { name: "outer", kind: "vlan", mtu: 1500, up: false, parent: "bond0" },
  ]);
});

test("settings that somebody changed: ARP, the default VTEP, the TTL, STP, flags of a port", () => {
  // iproute2 6.1, after: ip link set vxlan228 arp off type vxlan id 228 remote 10.0.7.88 ttl 3; bridge link set dev vxlan228
  // flood off bcast_flood off mcast_flood off isolated on; ip link set br228 type bridge stp_state 1
  const changed = `[{"ifindex":2,"ifname":"br228","flags":["BROADCAST","MULTICAST"],"mtu":1500,"group":"default",
      "linkinfo":{"info_kind":"bridge","info_data":{"forward_delay":1500,"ageing_time":100,"stp_state":1}},"addr_info":[]},
    {"ifindex":3,"ifname":"vxlan228","flags":["BROADCAST","MULTICAST","NOARP"],"mtu":1500,"master":"br228",
      "linkinfo":{"info_kind":"vxlan","info_data":{"id":228,"remote":"10.0.7.88","local":"127.0.0.1","port":4789,
      "learning":false,"ttl":3,"df":"unset","ageing":20},"info_slave_kind":"bridge","info_slave_data":{"state":"disabled",
      "hairpin":false,"guard":false,"learning":true,"flood":false,"mcast_flood":false,"bcast_flood":false,
      "neigh_suppress":false,"isolated":true,"locked":false}},"addr_info":[]}]`;
  assert.deepEqual(
    parseLinks(changed).map(({ strays }) => strays),
    [
      ["stp_state", "ageing_time"],
      ["noArp", "remote", "ttl", "ageing", "flood", "mcast_flood", "bcast_flood", "isolated"],
    ],
  );
  const untouched = `[{"ifindex":3,"ifname":"v","flags":["BROADCAST","MULTICAST"],"mtu":1500,
      "linkinfo":{"info_kind":"vxlan","info_data":{"id":1,"local6":"::1","port":4789,"learning":true,"ttl":0,"df":"unset",
      "ageing":300}},"addr_info":[]}]`;
  assert.deepEqual(
    parseLinks(untouched).map(({ strays }) => strays),
    [undefined],
  );
  const sixth = untouched.replace('"local6"', '"remote6":"fd00::1","local6"');
  assert.deepEqual(
    parseLinks(sixth).map(({ strays }) => strays),
    [["remote6"]],
  );
});

test("learning is on where iproute2 does not print it: 6.4 and later leave out what is the default", () => {
  // iproute2 6.15 with -details, of an interface that learns and one that does not.
  const printed = (more: string) =>
    `[{"ifname":"vxlan228","flags":[],"mtu":1500,"linkinfo":{"info_kind":"vxlan","info_data":{"id":228,"port":4789${more}}},"addr_info":[]}]`;
  assert.deepEqual(
    ["", ',"learning":false'].map((more) => parseLinks(printed(more))[0]?.vxlan?.learning),
    [true, false],
  );
});

test("an interface of our kinds that is up and has no link-local address", () => {
  // iproute2 6.1, after: ip -6 address flush dev vxlan228
  const printed = (flags: string, kind: string, addresses: string) =>
    `[{"ifname":"vxlan228","flags":[${flags}],"mtu":1500,"linkinfo":{"info_kind":"${kind}"},"addr_info":[${addresses}]}]`;
  const own =
    '{"family":"inet6","local":"fe80::ff:fe00:2","prefixlen":64,"scope":"link","valid_life_time":4294967295,"preferred_life_time":4294967295}';
  const other = '{"family":"inet6","local":"2001:db8::2","prefixlen":64,"scope":"global"}';
  const up = '"BROADCAST","MULTICAST","UP","LOWER_UP"';
  const read = (...[flags, kind, addresses]: Parameters<typeof printed>) =>
    parseLinks(printed(flags, kind, addresses))[0]?.withoutLinkLocal;
  assert.deepEqual(
    [read(up, "vxlan", ""), read(up, "vxlan", other), read(up, "vlan", ""), read(up, "bridge", "")],
    [true, true, true, true],
  );
  assert.deepEqual(
    [
      read(up, "vxlan", own),
      read(up, "veth", ""),
      read('"BROADCAST","MULTICAST"', "vxlan", ""),
      read('"NO-CARRIER","BROADCAST","MULTICAST","UP"', "bridge", ""),
    ],
    [undefined, undefined, undefined, undefined],
  );
});

test("a jump names its target, and is none while the target is missing", () => {
  const text =
    '[{"priority":100,"src":"all","goto":32766,"protocol":"0"},' +
    '{"priority":101,"src":"all","goto":40000,"unresolved":null,"protocol":"0"}]';
  assert.deepEqual(parseRules(4, text), [
    {
      family: 4,
      priority: 100,
      protocol: 0,
      action: { kind: "goto", priority: 32766 },
      plain: true,
      words: "from all goto 32766",
    },
    {
      family: 4,
      priority: 101,
      protocol: 0,
      action: { kind: "goto", priority: 40000 },
      plain: false,
      further: { inverted: false, others: false, suppresses: false, idle: true },
      words: "from all goto 40000",
    },
  ]);
});
