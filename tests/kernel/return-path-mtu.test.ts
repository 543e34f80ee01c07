import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { echo } from "./echo-service.js";
import { CLIENT, VIP } from "./public-segment.js";
import { ReturnPathNode } from "./return-path-node.js";
import { proxyAddress, proxyByNftables } from "./service-proxies.js";

const DNAT = proxyAddress("nftables DNAT");

/** Seconds of silence that make a call fail here: the other calls of this file take tenths of a second. */
const SILENCE_SECONDS = 4;

/**
 * Fragments of VXLAN packets get lost, as hardware VTEPs drop them; and the pod gets no ICMP, as network policies and security
 * groups have it.
 */
const LOST_FRAGMENTS = `
table ip hardware_vtep {
  chain prerouting { type filter hook prerouting priority -450; ip frag-off & 0x3fff != 0 drop; }
}
`;
const NO_ICMP = `
table ip network_policy {
  chain input { type filter hook input priority 0; icmp type destination-unreachable drop; }
}
`;

/** `nft list chain`, nft 1.0.6. */
const CLAMP_INPUT = `table inet vlan_router {
	chain clamp_input {
		type filter hook prerouting priority mangle; policy accept;
		iifname "vxlan228" meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
		iifname "vxlan229" meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
	}
}
`;
const CLAMP_OUTPUT = `table inet vlan_router {
	chain clamp_output {
		type filter hook postrouting priority mangle; policy accept;
		oifname "vxlan228" meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
		oifname "vxlan229" meta nfproto ipv4 tcp flags syn tcp option maxseg size set 1410
	}
}
`;

describe("an underlay of 1500 under a gateway that sends 1500", () => {
  let node: ReturnPathNode;
  const listing = async (chain: string) =>
    (await node.net.exec("n1", ["nft", "list", "chain", "inet", "vlan_router", chain])).stdout;
  const flush = (chain: string) => node.net.exec("n1", ["nft", "flush", "chain", "inet", "vlan_router", chain]);

  before(async () => {
    node = await ReturnPathNode.start({}, { underlayMtu: 1500 });
    await proxyByNftables(node.net);
    await node.addAddress("address on lo", "lo");
    await node.net.nft("n1", LOST_FRAGMENTS);
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
    assert.equal(await listing("clamp_input"), CLAMP_INPUT);
    assert.equal(await listing("clamp_output"), CLAMP_OUTPUT);
  });

  it("carries much data both ways, for a pod and for the node itself", async () => {
    assert.equal(await echo(node.net, "client", DNAT, SILENCE_SECONDS), "pod");
    assert.equal(await echo(node.net, "client", VIP, SILENCE_SECONDS), "n1");
  });

  it("would lose what the pod sends without the clamp of what comes in", async () => {
    const { stdout } = await node.net.exec("n1", ["nft", "list", "table", "inet", "vlan_router"]);
    await flush("clamp_input");
    assert.equal(await echo(node.net, "client", DNAT, SILENCE_SECONDS), undefined);
    await node.net.nft("n1", `delete table inet vlan_router\n${stdout}`);
    assert.equal(await echo(node.net, "client", DNAT, SILENCE_SECONDS), "pod");
  });

  it("would lose what the client sends without the clamp of what goes out", async () => {
    await flush("clamp_output");
    assert.equal(await echo(node.net, "client", DNAT, SILENCE_SECONDS), undefined);
  });
});

for (const all of [0, 1] as const) {
  describe(`ICMP about a public address, net.ipv4.conf.all.rp_filter ${all}`, () => {
    let node: ReturnPathNode;
    const mtuTowards = async (place: string, ...route: readonly string[]) => {
      const { stdout } = await node.net.exec(place, ["ip", "route", "get", ...route]);
      return Number(/\bmtu (\d+)/.exec(stdout)?.[1]);
    };

    before(async () => {
      node = await ReturnPathNode.start({ all });
      await proxyByNftables(node.net);
      await node.addAddress("address on lo", "lo");
      // The router of the small path speaks from outside the segment.
      await node.net.ip(
        "gateway",
        `route add ${CLIENT}/32 dev eth1 mtu lock 1300`,
        "route change 203.0.113.0/24 dev public src 192.0.2.1",
      );
      await node.net.ip("n1", "route change 10.244.1.4/30 dev pod mtu lock 1400");
    });
    after(() => node?.end());

    it("fragmentation needed reaches a local address", async () => {
      assert.equal(await echo(node.net, "client", VIP, SILENCE_SECONDS), "n1");
      assert.equal(await mtuTowards("n1", CLIENT, "from", VIP), 1300);
    });

    it("fragmentation needed reaches the pod behind a translated address", async () => {
      assert.equal(await echo(node.net, "client", DNAT, SILENCE_SECONDS), "pod");
      assert.equal(await mtuTowards("pod", CLIENT), 1300);
    });

    it("what the node says of the way to the pod reaches the client, from the public address", async () => {
      assert.equal(await mtuTowards("client", DNAT), 1400);
    });
  });
}
