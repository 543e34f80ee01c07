import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUnchanged } from "../../agent-image/agent/kernel/index.js";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { type KernelState, kernelState } from "./kernel-state.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** `ip -N -j route show table 228`. */
const routes = [
  { dst: "default", gateway: "203.0.113.1", dev: "vxlan228", protocol: "118", flags: [] },
  { dst: "203.0.113.0/24", dev: "vxlan228", protocol: "118", scope: "253", flags: [] },
];

/** `ip rule`: our rules and the foreign ones that this test puts beside them. */
const rules = `\
0:	from all lookup local
3000:	from all fwmark 0x1/0x1 lookup 100 proto static
3000:	from all to 10.0.7.0/24 fwmark 0x10/0x3ff0 lookup main proto 118
3000:	from all to 10.244.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118
3000:	from all to 10.96.0.0/16 fwmark 0x10/0x3ff0 lookup main proto 118
3000:	from 203.0.113.0/24 to 10.0.7.0/24 lookup main proto 118
3000:	from 203.0.113.0/24 to 10.244.0.0/16 lookup main proto 118
3000:	from 203.0.113.0/24 to 10.96.0.0/16 lookup main proto 118
3900:	from all fwmark 0x10/0x3ff0 lookup 228 proto 118
3901:	from all fwmark 0x10/0x3ff0 unreachable proto 118
4016:	from 192.0.2.0/24 lookup 100
4016:	from 203.0.113.0/24 lookup 228 proto 118
4017:	from 203.0.113.0/24 unreachable proto 118
32766:	from all lookup main
32767:	from all lookup default
`;

/** `nft list table inet vlan_router`, up to the seal. */
const filter = `\
table inet vlan_router {
	chain segment {
		type filter hook prerouting priority raw - 10; policy accept;
		iifname "vxlan228" ip daddr != { 203.0.113.0/24, 224.0.0.0/4 } drop
		iifname "vxlan228" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		iifname "vxlan228" ip6 daddr != ff00::/8 drop
	}

	chain forward {
		type filter hook forward priority filter - 10; policy accept;
		iifname "vxlan228" ip daddr 203.0.113.0/24 drop
	}

	chain mark_input {
		type filter hook prerouting priority mangle; policy accept;
		iifname != "vxlan228" ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010
	}

	chain mark_output {
		type route hook output priority mangle; policy accept;
		ct direction reply ct original ip daddr 203.0.113.0/24 meta mark set meta mark & 0xffffc01f | 0x00000010
	}

	chain seal-`;

interface VxlanLink {
  readonly mtu: number;
  readonly flags: readonly string[];
  readonly ifalias?: string;
  readonly address: string;
  readonly linkinfo?: { readonly info_kind: string; readonly info_data: Readonly<Record<string, unknown>> };
}

describe("a plan on a node that has nothing of ours", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  let plan: NodePlan;
  let untouched: KernelState;

  before(async () => {
    node = await startNode();
    // Foreign objects, with numbers like ours: they must survive everything below.
    await node.ip(
      "n1",
      "rule add priority 4016 from 192.0.2.0/24 lookup 100",
      "rule add priority 3000 from all fwmark 0x1/0x1 lookup 100 protocol static",
      "route add 192.0.2.0/24 dev lo table 100",
      "link add vxlan9 type vxlan id 9 dstport 4789 local 10.0.7.5",
    );
    await node.nft("n1", "table inet other {\n chain c { type filter hook input priority 0; }\n}\n");
    untouched = await kernelState(node, "n1");
    reconciler = RemoteReconciler.start(node, "n1");
    plan = await reconciler.plan(configuration(baseYaml));
  });
  after(async () => {
    await reconciler?.end();
    await node?.end();
  });

  it("makes interface, routes, rules, sysctls and the nft table", async () => {
    const result = await reconciler.reconcile(plan);
    assert.deepEqual([result.node.errors, result.networks[0]?.errors, result.networks[0]?.conflicts], [[], [], []]);

    const [link] = (await node.json("n1", "ip -d -j link show dev vxlan228")) as readonly VxlanLink[];
    assert.deepEqual(
      { mtu: link?.mtu, flags: link?.flags, alias: link?.ifalias, mac: link?.address },
      {
        mtu: 1550,
        flags: ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
        alias: "vlan-router:vxlan228",
        mac: "16:08:26:b3:ea:e1",
      },
    );
    const { info_kind, info_data } = link?.linkinfo ?? {};
    assert.deepEqual(
      [info_kind, info_data?.id, info_data?.local, info_data?.port, info_data?.learning],
      ["vxlan", 228, "10.0.7.5", 4789, false],
    );
    assert.deepEqual(await node.json("n1", "ip -N -j route show table 228"), routes);
    assert.equal((await node.exec("n1", ["ip", "rule"])).stdout, rules);
    const listed = (await node.exec("n1", ["nft", "list", "table", "inet", "vlan_router"])).stdout;
    assert.equal(listed.slice(0, filter.length), filter);
    const sysctls = ["net.ipv4.conf.vxlan228.rp_filter", "net.ipv6.conf.vxlan228.accept_ra"];
    assert.equal((await node.exec("n1", ["sysctl", "-n", ...sysctls])).stdout, "0\n0\n");
  });

  it("finds nothing to do the second time, and after a restart", async () => {
    const carried = await kernelState(node, "n1");
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
    const successor = RemoteReconciler.start(node, "n1");
    try {
      // The plan, too, comes out the same from a node that carries it: VTEP address and mark are kept.
      assert.deepEqual(await successor.plan(configuration(baseYaml)), plan);
      const result = await successor.reconcile(plan);
      assert.ok(isUnchanged(result), JSON.stringify(result));
    } finally {
      await successor.end();
    }
    assert.deepEqual(await kernelState(node, "n1"), carried);
  });

  it("is removed without a trace, foreign objects stay", async () => {
    const removed = await reconciler.cleanUp();
    assert.deepEqual(removed.errors, []);
    assert.deepEqual(await kernelState(node, "n1"), untouched);
    assert.deepEqual(await reconciler.cleanUp(), { done: [], errors: [], stays: [], goesAlong: [] });
  });
});

it("an IPv4 network works on an underlay of 1280, where its interface has no IPv6, and gets IPv6's sysctls with more", async () => {
  const node = await startNode();
  const reconciler = RemoteReconciler.start(node, "n1");
  const carry = async (mtu: number) => {
    await node.ip("n1", `link set eth0 mtu ${mtu}`);
    const result = await reconciler.reconcile(await reconciler.plan(configuration(baseYaml)));
    assert.deepEqual([result.node.errors, result.networks[0]?.errors], [[], []]);
    assert.deepEqual(await node.json("n1", "ip -N -j route show table 228"), routes);
  };
  try {
    await carry(1280);
    await carry(1600);
    const sysctl = "net.ipv6.conf.vxlan228.accept_ra";
    assert.equal((await node.exec("n1", ["sysctl", "-n", sysctl])).stdout, "0\n");
  } finally {
    await reconciler.end();
    await node.end();
  }
});

describe("an IPv6 subnet beside the IPv4 one", () => {
  it("has the same table number in its own family, and goes alone", async () => {
    const both = `
podNetworks: [10.244.0.0/16, fd00:10:244::/56]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: 2001:db8:228::/64, gateway: "fe80::1" }
`;
    const node = await startNode();
    const reconciler = RemoteReconciler.start(node, "n1");
    const show = async (command: string) => (await node.exec("n1", command.split(" "))).stdout;
    try {
      const ipv4Before = await show("ip -4 rule");
      const ipv6Before = [await show("ip -6 rule"), await show("ip -6 route show table all")];
      const plan = await reconciler.plan(configuration(both));
      const [result] = (await reconciler.reconcile(plan)).networks;
      assert.deepEqual([result?.errors, result?.conflicts], [[], []]);
      assert.equal(
        await show("ip -6 route show table 228"),
        "2001:db8:228::/64 dev vxlan228 proto 118 metric 1024 pref medium\n" +
          "default via fe80::1 dev vxlan228 proto 118 metric 1024 pref medium\n",
      );
      assert.equal(
        await show("ip -6 rule"),
        "0:\tfrom all lookup local\n" +
          "3000:\tfrom all to fd00:10:244::/56 fwmark 0x10/0x3ff0 lookup main proto 118\n" +
          "3000:\tfrom 2001:db8:228::/64 to fd00:10:244::/56 lookup main proto 118\n" +
          "3900:\tfrom all fwmark 0x10/0x3ff0 lookup 228 proto 118\n" +
          "3901:\tfrom all fwmark 0x10/0x3ff0 unreachable proto 118\n" +
          "4128:\tfrom 2001:db8:228::/64 lookup 228 proto 118\n" +
          "4129:\tfrom 2001:db8:228::/64 unreachable proto 118\n" +
          "32766:\tfrom all lookup main\n",
      );
      assert.ok(isUnchanged(await reconciler.reconcile(await reconciler.plan(configuration(both)))));
      assert.deepEqual((await reconciler.cleanUp()).errors, []);
      assert.deepEqual([await show("ip -6 rule"), await show("ip -6 route show table all")], ipv6Before);
      assert.equal(await show("ip -4 rule"), ipv4Before);
    } finally {
      await reconciler.end();
      await node.end();
    }
  });
});
