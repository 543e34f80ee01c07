import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Family } from "../../model/index.js";
import { echo } from "./echo-service.js";
import { pathAddresses } from "./return-path-addresses.js";
import { ReturnPathNode } from "./return-path-node.js";
import { proxyAddress, proxyByNftables } from "./service-proxies.js";

/** Seconds of silence that make a call fail where none is answered: those that are take tenths of a second. */
const SILENCE_SECONDS = 4;

/** Fragments of VXLAN packets get lost, as hardware VTEPs drop them. The tunnels are of IPv4. */
const LOST_FRAGMENTS = `
table ip hardware_vtep {
  chain prerouting { type filter hook prerouting priority -450; ip frag-off & 0x3fff != 0 drop; }
}
`;

/**
 * Nor does the gateway tell: its segment carries 1500. Linux notices what its own tunnel cannot carry and says so, but only in IPv6
 * (skb_tunnel_check_pmtu; in IPv4 what is forwarded does not heed it, ip_forward_use_pmtu).
 */
const SILENT_GATEWAY = `
table inet hardware_gateway {
  chain output { type filter hook output priority 0; icmpv6 type packet-too-big drop; }
}
`;

/** The pod gets no ICMP, as network policies and security groups have it. */
const NO_ICMP = `
table inet network_policy {
  chain input { type filter hook input priority 0;
    icmp type destination-unreachable drop
    icmpv6 type packet-too-big drop
  }
}
`;

/** 1450 bytes less the headers of IP and TCP: 40 and 60. */
const SEGMENT: Readonly<Record<Family, number>> = { 4: 1410, 6: 1390 };

/** `nft list chain`, nft 1.0.6. */
const clampListing = (family: Family, chain: string, hook: string, selector: string): string => `\
table inet vlan_router {
	chain ${chain} {
		type filter hook ${hook} priority mangle; policy accept;
		${selector} "vxlan228" meta nfproto ipv${family} tcp flags syn tcp option maxseg size set ${SEGMENT[family]}
		${selector} "vxlan229" meta nfproto ipv${family} tcp flags syn tcp option maxseg size set ${SEGMENT[family]}
	}
}
`;

/** So that what the gateway says by ICMP comes from an address outside the segment. */
const ROUTER_OUTSIDE: Readonly<Record<Family, string>> = {
  4: "route change 203.0.113.0/24 dev public src 192.0.2.1",
  6: "route replace 2001:db8:228::/64 dev public src 2001:db8:9::1",
};

/** What a place has learned of the way, or was told. */
async function mtuTowards(node: ReturnPathNode, place: string, ...route: readonly string[]): Promise<number> {
  const { stdout } = await node.net.exec(place, ["ip", "route", "get", ...route]);
  return Number(/\bmtu (\d+)/.exec(stdout)?.[1]);
}

for (const family of [4, 6] as const) {
  describe(`IPv${family}: an underlay of 1500 under a gateway that sends 1500`, () => {
    const local = proxyAddress("address on lo", family);
    const translated = proxyAddress("nftables DNAT", family);
    let node: ReturnPathNode;
    const listing = async (chain: string) =>
      (await node.net.exec("n1", ["nft", "list", "chain", "inet", "vlan_router", chain])).stdout;
    const withoutRulesOf = async (chain: string, check: () => Promise<void>): Promise<void> => {
      const { stdout } = await node.net.exec("n1", ["nft", "list", "table", "inet", "vlan_router"]);
      await node.net.exec("n1", ["nft", "flush", "chain", "inet", "vlan_router", chain]);
      await check();
      await node.net.nft("n1", `delete table inet vlan_router\n${stdout}`);
    };

    before(async () => {
      node = await ReturnPathNode.start({}, { family, underlayMtu: 1500 });
      await proxyByNftables(node.net, family);
      await node.addAddress("address on lo", "lo");
      await node.net.nft("n1", LOST_FRAGMENTS);
      await node.net.nft("gateway", SILENT_GATEWAY);
      await node.net.nft("pod", NO_ICMP);
    });
    after(() => node?.end());

    it("is a condition", () => {
      assert.deepEqual(node.plan.networks[0]?.conditions, [
        {
          reason: "MtuBelowSegment",
          message:
            "vxlan228 carries 1450 bytes, for eth0 has 1500: larger packets of a gateway that sends 1500 are lost, and TCP is " +
            "clamped to what fits; give eth0 an MTU of 1550, or set vxlan.mtu to 1450 where nothing in the segment sends more",
        },
      ]);
    });

    it("clamps TCP in both directions", async () => {
      assert.equal(await listing("clamp_input"), clampListing(family, "clamp_input", "prerouting", "iifname"));
      assert.equal(await listing("clamp_output"), clampListing(family, "clamp_output", "postrouting", "oifname"));
    });

    it("carries much data both ways, for a pod and for the node itself", async () => {
      assert.equal(await echo(node.net, "client", translated), "pod");
      assert.equal(await echo(node.net, "client", local), "n1");
    });

    it("would lose what the client sends without the clamp of what goes out", async () => {
      await withoutRulesOf("clamp_output", async () => {
        assert.equal(await echo(node.net, "client", translated, SILENCE_SECONDS), undefined);
      });
    });

    it("would lose what the pod sends without the clamp of what comes in, unless ICMP tells the pod", async () => {
      await withoutRulesOf("clamp_input", async () => {
        assert.equal(await echo(node.net, "client", translated, SILENCE_SECONDS), undefined);
        await node.net.nft("pod", "delete table inet network_policy");
        assert.equal(await echo(node.net, "client", translated), "pod");
        assert.equal(await mtuTowards(node, "pod", pathAddresses[family].client), 1450);
      });
    });
  });
}

const smallPaths = [
  { family: 4, all: 0 },
  { family: 4, all: 1 },
  { family: 6, all: 0 },
] as const;

for (const { family, all } of smallPaths) {
  const { client, pod } = pathAddresses[family];
  const local = proxyAddress("address on lo", family);
  const translated = proxyAddress("nftables DNAT", family);
  const length = family === 4 ? 32 : 128;

  describe(`IPv${family}: ICMP about a public address, net.ipv4.conf.all.rp_filter ${all}`, () => {
    let node: ReturnPathNode;
    before(async () => {
      node = await ReturnPathNode.start({ all }, { family });
      await proxyByNftables(node.net, family);
      await node.addAddress("address on lo", "lo");
      // The router of the small path speaks from outside the segment.
      await node.net.ip("gateway", `route add ${client}/${length} dev eth1 mtu lock 1300`);
      await node.net.ip("gateway", ROUTER_OUTSIDE[family]);
      await node.net.ip("n1", `route add ${pod}/${length} dev pod mtu lock 1400`);
    });
    after(() => node?.end());

    it("what says that packets are too big reaches a local address", async () => {
      assert.equal(await echo(node.net, "client", local), "n1");
      assert.equal(await mtuTowards(node, "n1", client, "from", local), 1300);
    });

    it("and the pod behind a translated address", async () => {
      assert.equal(await echo(node.net, "client", translated), "pod");
      assert.equal(await mtuTowards(node, "pod", client), 1300);
    });

    it("what the node says of the way to the pod reaches the client, from the public address", async () => {
      assert.equal(await mtuTowards(node, "client", translated), 1400);
    });
  });
}
