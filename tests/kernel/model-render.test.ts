import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  configurationCommands,
  type NetworkPlan,
  type NodeFacts,
  networkCommands,
  nftRuleset,
  parseConfiguration,
  planNode,
  renderMistake,
} from "../../model/index.js";
import { TestNamespaces } from "../support/namespace.js";

/** What the kernel has after the rendered commands, read back by iproute2, sysctl and nft. */

const node = "n1";
const podNetworks = ["10.244.0.0/16", "fd00:10:244::/56"];
const bgpNetwork = {
  type: "vxlan",
  vxlan: {
    vni: 228,
    nodeNet: "10.0.7.0/24",
    bgp: { myAsn: 65001, peerAsn: 65001, peers: ["10.0.7.19"] },
  },
  routing: [
    { cidr: "203.0.113.0/24", gateway: "203.0.113.1" },
    { cidr: "2001:db8:1::/64", gateway: "fe80::1" },
  ],
};
const learningNetwork = {
  type: "vxlan",
  vxlan: { vni: 16_777_215, nodeNet: "2001:db8:7::/64", remotes: ["2001:db8:7::6", "2001:db8:7::7"] },
  routing: [
    { cidr: "198.51.100.64/29", gateway: "192.0.2.1", onlink: true },
    { cidr: "192.0.2.128/25", gateway: "192.0.2.129", table: 4_294_967_295, returnPath: "source" },
  ],
};
const facts: NodeFacts = {
  nodeName: node,
  labels: {},
  links: [{ name: "eth0", mtu: 1500, up: true }],
  addresses: [
    {
      device: "eth0",
      family: 4,
      address: "10.0.7.11",
      prefixLength: 24,
      secondary: false,
      deprecated: false,
      tentative: false,
    },
    {
      device: "eth0",
      family: 6,
      address: "2001:db8:7::11",
      prefixLength: 64,
      secondary: false,
      deprecated: false,
      tentative: false,
    },
  ],
  marks: [],
  rpFilterAll: 1,
  localRulePriority: 0,
};

function parsed(networks: readonly unknown[]) {
  const result = parseConfiguration({ podNetworks, networks });
  if (!result.ok) throw new Error(result.mistakes.map(renderMistake).join("\n"));
  return result.value;
}

const plans: readonly NetworkPlan[] = planNode(parsed([bgpNetwork, learningNetwork]), facts).networks;

type Entries = readonly Readonly<Record<string, unknown>>[];

/** Of `ip -d -j link show dev DEVICE`. */
interface LinkListing {
  readonly address: string;
  readonly mtu: number;
  readonly ifalias?: string;
  readonly flags: readonly string[];
  readonly linkinfo: { readonly info_data: Readonly<Record<string, unknown>> };
}

/** The named fields alone: the kernel and iproute2 add others from version to version. */
function fields(entries: unknown, ...names: readonly string[]): Entries {
  return (entries as Entries).map((entry) =>
    Object.fromEntries(names.filter((name) => entry[name] !== undefined).map((name) => [name, entry[name]])),
  );
}

describe("the commands of a network", () => {
  let namespaces: TestNamespaces;
  before(async () => {
    namespaces = await TestNamespaces.start([node]);
    assert.deepEqual(
      plans.map(({ network }) => network),
      ["vxlan16777215", "vxlan228"],
    );
    await namespaces.exec(node, ["sh", "-e", "-c", plans.flatMap(networkCommands).join("\n")]);
  });
  after(() => namespaces.end());

  const json = (command: string) => namespaces.json(node, command);
  const linkOf = async (device: string): Promise<LinkListing> => {
    const [link] = (await json(`ip -d -j link show dev ${device}`)) as readonly LinkListing[];
    if (link === undefined) throw new Error(`no interface ${device}`);
    return link;
  };
  const text = async (command: string) => (await namespaces.exec(node, command.split(" "))).stdout;

  it("create the VXLAN interfaces", async () => {
    const link = await linkOf("vxlan228");
    assert.equal(link.address, "86:3c:32:dd:76:2b");
    assert.equal(link.mtu, 1450);
    assert.equal(link.ifalias, "vlan-router:vxlan228");
    assert.ok(link.flags.includes("UP"));
    const { id, local, port, learning } = link.linkinfo.info_data;
    assert.deepEqual([id, local, port, learning], [228, "10.0.7.11", 4789, false]);
  });

  it("give an IPv6 VTEP 20 bytes less, and learning without BGP", async () => {
    const link = await linkOf("vxlan16777215");
    assert.equal(link.mtu, 1430);
    const { id, local6, learning } = link.linkinfo.info_data;
    assert.deepEqual([id, local6, learning], [16_777_215, "2001:db8:7::11", true]);
  });

  it("flood to the remotes", async () => {
    assert.deepEqual(fields(await json("bridge -j fdb show dev vxlan16777215"), "mac", "dst", "state"), [
      { mac: "00:00:00:00:00:00", dst: "2001:db8:7::6", state: "permanent" },
      { mac: "00:00:00:00:00:00", dst: "2001:db8:7::7", state: "permanent" },
    ]);
  });

  it("fill the tables", async () => {
    const route = ["dst", "gateway", "dev", "protocol", "scope", "flags"];
    assert.deepEqual(fields(await json("ip -4 -j route show table 228"), ...route), [
      { dst: "default", gateway: "203.0.113.1", dev: "vxlan228", protocol: "118", flags: [] },
      { dst: "203.0.113.0/24", dev: "vxlan228", protocol: "118", scope: "link", flags: [] },
    ]);
    assert.deepEqual(fields(await json("ip -6 -j route show table 228"), ...route), [
      { dst: "2001:db8:1::/64", dev: "vxlan228", protocol: "118", flags: [] },
      { dst: "default", gateway: "fe80::1", dev: "vxlan228", protocol: "118", flags: [] },
    ]);
    assert.deepEqual(fields(await json("ip -4 -j route show table 16777215"), ...route), [
      { dst: "default", gateway: "192.0.2.1", dev: "vxlan16777215", protocol: "118", flags: ["onlink"] },
      { dst: "198.51.100.64/29", dev: "vxlan16777215", protocol: "118", scope: "link", flags: [] },
    ]);
    assert.equal(
      await text("ip -4 route show table 4294967295"),
      "default via 192.0.2.129 dev vxlan16777215 proto 118 \n192.0.2.128/25 dev vxlan16777215 proto 118 scope link \n",
    );
  });

  it("set the rules, each lookup with its guard", async () => {
    const ours = (listing: string) => listing.split("\n").filter((line) => line.includes("proto 118"));
    assert.deepEqual(ours(await text("ip -4 rule show")), [
      "3000:\tfrom 192.0.2.128/25 to 10.0.7.0/24 lookup main proto 118",
      "3000:\tfrom 192.0.2.128/25 to 10.244.0.0/16 lookup main proto 118",
      "3000:\tfrom 198.51.100.64/29 to 10.0.7.0/24 lookup main proto 118",
      "3000:\tfrom 198.51.100.64/29 to 10.244.0.0/16 lookup main proto 118",
      "3000:\tfrom all to 10.0.7.0/24 fwmark 0x20/0x3ff0 lookup main proto 118",
      "3000:\tfrom all to 10.244.0.0/16 fwmark 0x20/0x3ff0 lookup main proto 118",
      "3000:\tfrom 203.0.113.0/24 to 10.0.7.0/24 lookup main proto 118",
      "3000:\tfrom 203.0.113.0/24 to 10.244.0.0/16 lookup main proto 118",
      "3000:\tfrom all to 10.0.7.0/24 fwmark 0x10/0x3ff0 lookup main proto 118",
      "3000:\tfrom all to 10.244.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118",
      "3900:\tfrom all fwmark 0x20/0x3ff0 lookup 16777215 proto 118",
      "3900:\tfrom all fwmark 0x10/0x3ff0 lookup 228 proto 118",
      "3901:\tfrom all fwmark 0x20/0x3ff0 unreachable proto 118",
      "3901:\tfrom all fwmark 0x10/0x3ff0 unreachable proto 118",
      "4006:\tfrom 198.51.100.64/29 lookup 16777215 proto 118",
      "4007:\tfrom 198.51.100.64/29 unreachable proto 118",
      "4014:\tfrom 192.0.2.128/25 lookup 4294967295 proto 118",
      "4015:\tfrom 192.0.2.128/25 unreachable proto 118",
      "4016:\tfrom 203.0.113.0/24 lookup 228 proto 118",
      "4017:\tfrom 203.0.113.0/24 unreachable proto 118",
    ]);
    assert.deepEqual(ours(await text("ip -6 rule show")), [
      "3000:\tfrom 2001:db8:1::/64 to 2001:db8:7::/64 lookup main proto 118",
      "3000:\tfrom 2001:db8:1::/64 to fd00:10:244::/56 lookup main proto 118",
      "3000:\tfrom all to 2001:db8:7::/64 fwmark 0x10/0x3ff0 lookup main proto 118",
      "3000:\tfrom all to fd00:10:244::/56 fwmark 0x10/0x3ff0 lookup main proto 118",
      "3900:\tfrom all fwmark 0x10/0x3ff0 lookup 228 proto 118",
      "3901:\tfrom all fwmark 0x10/0x3ff0 unreachable proto 118",
      "4128:\tfrom 2001:db8:1::/64 lookup 228 proto 118",
      "4129:\tfrom 2001:db8:1::/64 unreachable proto 118",
    ]);
  });

  it("set sysctls of these interfaces alone", async () => {
    const value = async (name: string) => (await text(`sysctl -n ${name}`)).trim();
    for (const device of ["vxlan228", "vxlan16777215"]) {
      assert.equal(await value(`net.ipv4.conf.${device}.rp_filter`), "0");
      assert.equal(await value(`net.ipv4.conf.${device}.src_valid_mark`), "1");
      assert.equal(await value(`net.ipv6.conf.${device}.accept_ra`), "0");
      assert.equal(await value(`net.ipv6.conf.${device}.autoconf`), "0");
    }
    assert.equal(await value("net.ipv4.conf.lo.src_valid_mark"), "0");
    assert.equal(await value("net.ipv4.conf.all.src_valid_mark"), "0");
  });

  it("leave the same nft table as the ruleset that replaces it whole", async () => {
    const created = ["clamp_input", "clamp_output", "forward", "mark_input", "mark_output", "segment"];
    const pasted = chains(await text("nft list table inet vlan_router"));
    assert.deepEqual(Object.keys(pasted).sort(), created);
    assert.ok(created.every((chain) => (pasted[chain] ?? []).length > 2));
    await namespaces.nft(node, nftRuleset(plans.map(({ filter }) => filter)));
    const replaced = await text("nft list table inet vlan_router");
    assert.deepEqual(chains(replaced), pasted);
    // Loaded again, nothing stands twice.
    await namespaces.nft(node, nftRuleset(plans.map(({ filter }) => filter)));
    assert.equal(await text("nft list table inet vlan_router"), replaced);
  });

  it("lose the nft table when no network is left", async () => {
    await namespaces.nft(node, nftRuleset([]));
    assert.equal(await text("nft list tables"), "");
  });
});

/** Each chain with its lines: pasted chains stand in another order than those of the ruleset. */
function chains(listing: string): Readonly<Record<string, readonly string[]>> {
  const [, ...blocks] = listing.split("\n\tchain ");
  return Object.fromEntries(
    blocks.map((block) => {
      const [name = "", ...lines] = block.split(/\n\t*/).filter((line) => line !== "" && line !== "}");
      // Networks are pasted one after the other; among prefixes of which none lies in another the order of marks says nothing.
      return [name.replace(" {", ""), name.startsWith("mark_") ? lines.toSorted() : lines];
    }),
  );
}

describe("the commands of a preview", () => {
  let namespaces: TestNamespaces;
  before(async () => {
    namespaces = await TestNamespaces.start([node]);
  });
  after(() => namespaces.end());

  it("run as they stand once a shell knows the node's values", async () => {
    const { networks } = parsed([bgpNetwork]);
    const commands = networks.flatMap((network) => configurationCommands(network, podNetworks));
    const values = "VTEP=10.0.7.11 MAC=86:3c:32:dd:76:2b MARK=0x70 MTU=1450";
    await namespaces.exec(node, ["sh", "-e", "-c", [values, ...commands].join("\n")]);
    const rules = (await namespaces.exec(node, ["ip", "-4", "rule", "show", "priority", "3900"])).stdout;
    assert.equal(rules, "3900:\tfrom all fwmark 0x70/0x3ff0 lookup 228 proto 118\n");
    // nft prints the same operation in its own words: what it sets it need not clear before.
    const marks = (await namespaces.exec(node, ["nft", "list", "chain", "inet", "vlan_router", "mark_output"])).stdout;
    assert.match(marks, /ct original ip daddr 203\.0\.113\.0\/24 meta mark set meta mark & 0xffffc07f \| 0x00000070/);
  });
});
