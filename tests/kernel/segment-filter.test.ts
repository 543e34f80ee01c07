import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration } from "./base-node.js";
import { HOST, NODE, POD, request, serve, startPublicSegment, takeCount, VIP, VTEPS } from "./public-segment.js";
import { RemoteReconciler } from "./remote-reconciler.js";

/** Counts what arrives from the host, whatever becomes of the reply. */
const ARRIVALS = `
table inet arrivals {
  counter from_host {}
  chain input { type filter hook input priority 300;
    ip saddr ${HOST} counter name from_host
  }
}
`;
const CLUSTER_ADDRESS = "10.96.0.80";

describe("a host on the public segment that uses the node as its router", () => {
  let net: TestNamespaces;
  let reconciler: RemoteReconciler;

  /** Packets that came in at the target's own stack. */
  const arrived = async (place: string, address: string, port: number): Promise<number> => {
    await request(net, "host", address, port);
    return takeCount(net, place, "arrivals", "from_host");
  };

  before(async () => {
    net = await startPublicSegment();
    reconciler = RemoteReconciler.start(net, "n1");
    await reconciler.reconcile(await reconciler.plan(configuration(baseYaml)));
    await reconciler.applyForwarding("vxlan228", { flood: VTEPS, hosts: [], neighbours: [] });
    for (const place of ["n1", "pod"]) await net.nft(place, ARRIVALS);
    await net.ip("n1", `address add ${VIP}/32 dev lo`);
    await serve(net, "n1", "0.0.0.0:8080", "the node");
    await serve(net, "pod", "80", "pod");
    // A Service's cluster address, as kube-proxy translates it.
    await net.nft(
      "n1",
      `table inet kube_proxy {
  chain prerouting { type nat hook prerouting priority dstnat;
    ip daddr ${CLUSTER_ADDRESS} dnat ip to ${POD}
  }
}`,
    );
    await net.ip("host", `route add 10.0.0.0/8 via ${VIP} dev public`, "route del 10.0.7.0/24 dev eth0");
    await net.ip("host", ...["10.0.7.5", "10.0.7.19"].map((vtep) => `route add ${vtep}/32 dev eth0 table 10`));
    // The host's own tunnel packets keep their way; what it sends to the node's address goes into the segment.
    await net.ip("host", "rule add ipproto udp dport 4789 lookup 10");
  });
  after(async () => {
    await reconciler?.end();
    await net?.end();
  });

  it("reaches the public address", async () => {
    assert.equal(await request(net, "host", VIP, 8080), "the node");
  });

  const targets = [
    { what: "a pod", place: "pod", address: POD, port: 80 },
    { what: "a cluster address", place: "pod", address: CLUSTER_ADDRESS, port: 80 },
    { what: "the node's own socket", place: "n1", address: NODE, port: 8080 },
  ];
  for (const { what, place, address, port } of targets) {
    it(`does not reach ${what}`, async () => {
      await takeCount(net, place, "arrivals", "from_host");
      assert.equal(await arrived(place, address, port), 0);
    });
  }

  it("resolves the node's link-local address, and gets no further", async () => {
    const { stdout } = await net.exec("n1", ["ip", "-6", "-o", "address", "show", "dev", "vxlan228", "scope", "link"]);
    const address = /inet6 (fe80::[0-9a-f:]+)/.exec(stdout)?.[1] ?? "";
    const ping = await net.exec("host", ["ping", "-6", "-c", "1", "-W", "1", `${address}%public`], { check: false });
    assert.equal(ping.code, 1, ping.stdout);
    const neighbours = (await net.exec("host", ["ip", "-6", "neigh", "show", address, "dev", "public"])).stdout;
    assert.match(neighbours, /lladdr/);
  });

  it("would reach all of them without the filter", async () => {
    await net.exec("n1", ["nft", "flush", "chain", "inet", "vlan_router", "segment"]);
    for (const { what, place, address, port } of targets) {
      assert.ok((await arrived(place, address, port)) > 0, what);
    }
  });
});
