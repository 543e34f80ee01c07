import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { diffPlan, operationsOf } from "../../model/index.js";
import { PastedNode } from "./pasted-node.js";

/** All kinds of objects in one network: two families, two tables, a gateway outside its prefix, marks both ways, remotes. */
const yaml = `
podNetworks: [10.244.0.0/16, "fd00:10:244::/56"]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.6, 10.0.7.7] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: 198.51.100.64/29, gateway: 192.0.2.1, onlink: true, table: 1228, returnPath: source }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
`;

type Entry = Readonly<Record<string, unknown>>;

/** The named fields alone: the kernel and iproute2 add others from version to version. */
function fields(entry: unknown, ...names: readonly string[]): Entry {
  const all = entry as Entry;
  return Object.fromEntries(names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]));
}

describe("the kernel after the commands of one plan, read back in JSON", () => {
  let node: PastedNode;
  const json = (command: string) => node.namespaces.json("n1", command);
  const entries = async (command: string, ...names: readonly string[]) =>
    ((await json(command)) as readonly unknown[]).map((entry) => fields(entry, ...names));

  before(async () => {
    node = await PastedNode.start();
    const plan = node.plan({ yaml, rpFilterAll: 1 });
    await node.paste(operationsOf(diffPlan(await node.observe(plan), plan)));
  });
  after(() => node?.end());

  it("ip -d -j link", async () => {
    const [link] = (await json("ip -d -j link show dev vxlan228")) as readonly [Entry & { readonly linkinfo: Entry }];
    assert.deepEqual(fields(link, "ifname", "ifalias", "address", "mtu", "flags"), {
      ifname: "vxlan228",
      ifalias: "vlan-router:vxlan228",
      address: "16:08:26:b3:ea:e1",
      mtu: 1550,
      flags: ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
    });
    assert.equal(link.linkinfo.info_kind, "vxlan");
    assert.deepEqual(fields(link.linkinfo.info_data, "id", "local", "port", "learning"), {
      id: 228,
      local: "10.0.7.5",
      port: 4789,
      learning: true,
    });
  });

  it("ip -j address: none but the link-local one that IPv6 makes of the MAC", async () => {
    const [{ addr_info }] = (await json("ip -j address show dev vxlan228")) as readonly [
      { readonly addr_info: readonly unknown[] },
    ];
    assert.deepEqual(
      addr_info.map((address) => fields(address, "local", "prefixlen", "scope")),
      [{ local: "fe80::1408:26ff:feb3:eae1", prefixlen: 64, scope: "link" }],
    );
  });

  it("ip -j route", async () => {
    const route = ["dst", "gateway", "dev", "protocol", "scope", "flags"];
    assert.deepEqual(await entries("ip -4 -j route show table 228", ...route), [
      { dst: "default", gateway: "203.0.113.1", dev: "vxlan228", protocol: "118", flags: [] },
      { dst: "203.0.113.0/24", dev: "vxlan228", protocol: "118", scope: "link", flags: [] },
    ]);
    assert.deepEqual(await entries("ip -4 -j route show table 1228", ...route), [
      { dst: "default", gateway: "192.0.2.1", dev: "vxlan228", protocol: "118", flags: ["onlink"] },
      { dst: "198.51.100.64/29", dev: "vxlan228", protocol: "118", scope: "link", flags: [] },
    ]);
    assert.deepEqual(await entries("ip -6 -j route show table 228", ...route), [
      { dst: "2001:db8:228::/64", dev: "vxlan228", protocol: "118", flags: [] },
      { dst: "default", gateway: "fe80::1", dev: "vxlan228", protocol: "118", flags: [] },
    ]);
  });

  it("ip -j rule", async () => {
    const own = async (family: 4 | 6) => {
      const rules = (await json(`ip -${family} -j rule show`)) as readonly Entry[];
      return rules.filter(({ protocol }) => protocol === "118").map(({ protocol: _, ...rule }) => rule);
    };
    const mark = { fwmark: "0x10", fwmask: "0x3ff0" };
    const [first, second] = [
      { src: "203.0.113.0", srclen: 24 },
      { src: "198.51.100.64", srclen: 29 },
    ];
    const [nodes, pods] = [
      { dst: "10.0.7.0", dstlen: 24 },
      { dst: "10.244.0.0", dstlen: 16 },
    ];
    assert.deepEqual(await own(4), [
      { priority: 3000, src: "all", ...nodes, ...mark, table: "main" },
      { priority: 3000, src: "all", ...pods, ...mark, table: "main" },
      { priority: 3000, ...second, ...nodes, table: "main" },
      { priority: 3000, ...second, ...pods, table: "main" },
      { priority: 3000, ...first, ...nodes, table: "main" },
      { priority: 3000, ...first, ...pods, table: "main" },
      { priority: 3900, src: "all", ...mark, table: "228" },
      { priority: 3901, src: "all", ...mark, action: "unreachable" },
      { priority: 4006, ...second, table: "1228" },
      { priority: 4007, ...second, action: "unreachable" },
      { priority: 4016, ...first, table: "228" },
      { priority: 4017, ...first, action: "unreachable" },
    ]);
    const ipv6 = { src: "2001:db8:228::", srclen: 64 };
    const ipv6Pods = { dst: "fd00:10:244::", dstlen: 56 };
    assert.deepEqual(await own(6), [
      { priority: 3000, src: "all", ...ipv6Pods, ...mark, table: "main" },
      { priority: 3000, ...ipv6, ...ipv6Pods, table: "main" },
      { priority: 3900, src: "all", ...mark, table: "228" },
      { priority: 3901, src: "all", ...mark, action: "unreachable" },
      { priority: 4128, ...ipv6, table: "228" },
      { priority: 4129, ...ipv6, action: "unreachable" },
    ]);
  });

  it("bridge -j fdb", async () => {
    assert.deepEqual(await entries("bridge -j fdb show dev vxlan228", "mac", "dst", "state"), [
      { mac: "00:00:00:00:00:00", dst: "10.0.7.6", state: "permanent" },
      { mac: "00:00:00:00:00:00", dst: "10.0.7.7", state: "permanent" },
    ]);
  });

  it("sysctl", async () => {
    const names = ["ipv4.conf.vxlan228.rp_filter", "ipv4.conf.vxlan228.src_valid_mark"];
    const ipv6 = ["ipv6.conf.vxlan228.accept_ra", "ipv6.conf.vxlan228.autoconf"];
    const command = ["sysctl", ...[...names, ...ipv6].map((name) => `net.${name}`)];
    assert.equal(
      (await node.namespaces.exec("n1", command)).stdout,
      "net.ipv4.conf.vxlan228.rp_filter = 0\nnet.ipv4.conf.vxlan228.src_valid_mark = 1\n" +
        "net.ipv6.conf.vxlan228.accept_ra = 0\nnet.ipv6.conf.vxlan228.autoconf = 0\n",
    );
  });

  it("nft -j: the places of the chains, and the rules of each", async () => {
    const { nftables } = (await json("nft -j list table inet vlan_router")) as { readonly nftables: readonly Entry[] };
    const chains = nftables.flatMap(({ chain }) => (chain === undefined ? [] : [chain]));
    assert.deepEqual(
      chains.map((chain) => fields(chain, "name", "type", "hook", "prio", "policy")),
      [
        { name: "segment", type: "filter", hook: "prerouting", prio: -310, policy: "accept" },
        { name: "forward", type: "filter", hook: "forward", prio: -10, policy: "accept" },
        { name: "mark_input", type: "filter", hook: "prerouting", prio: -150, policy: "accept" },
        { name: "mark_output", type: "route", hook: "output", prio: -150, policy: "accept" },
      ],
    );
    const rules = nftables.flatMap(({ rule }) => (rule === undefined ? [] : [rule as Entry]));
    assert.deepEqual(
      rules.map(({ chain, expr }) => [chain, expr]),
      nftRules(),
    );
  });
});

/** In the words of libnftables-json(5). */
function nftRules(): readonly (readonly [chain: string, expressions: readonly unknown[]])[] {
  const match = (left: unknown, op: "==" | "!=", right: unknown) => ({ match: { op, left, right } });
  const from = (op: "==" | "!=") => match({ meta: { key: "iifname" } }, op, "vxlan228");
  const to = (protocol: "ip" | "ip6", op: "==" | "!=", right: unknown) =>
    match({ payload: { protocol, field: "daddr" } }, op, right);
  const direction = (right: "reply" | "original") => match({ ct: { key: "direction" } }, "==", right);
  const wasTo = (protocol: "ip" | "ip6", right: unknown) =>
    match({ ct: { key: `${protocol} daddr`, dir: "original" } }, "==", right);
  const prefix = (addr: string, len: number) => ({ prefix: { addr, len } });

  const [first, second] = [prefix("203.0.113.0", 24), prefix("198.51.100.64", 29)];
  const ipv6 = prefix("2001:db8:228::", 64);
  // 0xffffc01f: nft prints the same operation in its own words, what is set need not be cleared before.
  const mark = {
    mangle: {
      key: { meta: { key: "mark" } },
      value: { "|": [{ "&": [{ meta: { key: "mark" } }, 4_294_950_943] }, 16] },
    },
  };
  return [
    ["segment", [from("=="), to("ip", "!=", { set: [second, first, prefix("224.0.0.0", 4)] }), { drop: null }]],
    [
      "segment",
      [
        from("=="),
        match({ payload: { protocol: "icmpv6", field: "type" } }, "==", {
          set: ["nd-neighbor-solicit", "nd-neighbor-advert"],
        }),
        { accept: null },
      ],
    ],
    ["segment", [from("=="), to("ip6", "!=", { set: [ipv6, prefix("ff00::", 8)] }), { drop: null }]],
    ["forward", [from("=="), to("ip", "==", { set: [second, first] }), { drop: null }]],
    ["forward", [from("=="), to("ip6", "==", ipv6), { drop: null }]],
    ["mark_input", [from("!="), direction("reply"), wasTo("ip", first), mark]],
    ["mark_input", [from("=="), direction("original"), wasTo("ip", first), mark]],
    ["mark_input", [from("!="), direction("reply"), wasTo("ip6", ipv6), mark]],
    ["mark_output", [direction("reply"), wasTo("ip", first), mark]],
    ["mark_output", [direction("reply"), wasTo("ip6", ipv6), mark]],
  ];
}
