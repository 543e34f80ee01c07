import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isConverged, isUnchanged } from "../../agent-image/agent/kernel/index.js";
import { waitFor } from "../../lab/processes/index.js";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration } from "./base-node.js";
import { type KernelState, kernelState } from "./kernel-state.js";
import { CLIENT, HOST, POD, request, serve, startPublicSegment, takeCount, VIP, VTEPS } from "./public-segment.js";
import { monotonicTime, RemoteReconciler } from "./remote-reconciler.js";

/** Milliseconds: the monitors' sockets are open some after the programs start, and a comparison follows that. */
const monitorsStart = 800;

/** A virtual machine with an address of the public prefix, behind a port of the bridge. */
const MACHINE = "203.0.113.50";
const MACHINE_MAC = "02:00:00:00:00:50";
const GATEWAY_MAC = "02:00:00:00:00:01";

const yaml = (bridge: boolean) => `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bridge: ${bridge}
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`;

/** Counts what arrives from the host, whatever becomes of the reply. */
const ARRIVALS = `
table inet arrivals {
  counter from_host {}
  chain input { type filter hook input priority 300;
    ip saddr ${HOST} counter name from_host
  }
}
`;

describe("a VXLAN network with a bridge", () => {
  let net: TestNamespaces;
  let reconciler: RemoteReconciler;
  let untouched: KernelState;
  let plan: NodePlan;

  const reconcile = async (bridge: boolean) => {
    plan = await reconciler.plan(configuration(yaml(bridge)));
    return reconciler.reconcile(plan);
  };
  const forward = (hosts: readonly { readonly mac: string; readonly vtep: string }[]) =>
    reconciler.applyForwarding("vxlan228", { flood: VTEPS, hosts, neighbours: [] });
  const output = async (command: string): Promise<string> => (await net.exec("n1", command.split(" "))).stdout;
  const link = async (name: string): Promise<Record<string, unknown>> => {
    const [found] = JSON.parse(await output(`ip -d -j link show dev ${name}`));
    return found;
  };
  const entriesOf = async (mac: string): Promise<readonly string[]> => {
    const lines = (await output("bridge fdb show br br228")).split("\n").map((line) => line.trim());
    return lines.filter((line) => line.startsWith(mac)).toSorted();
  };
  const callsOfBridges = (value: 0 | 1) =>
    net.sysctl("n1", `net.bridge.bridge-nf-call-iptables=${value}`, `net.bridge.bridge-nf-call-ip6tables=${value}`);

  before(async () => {
    net = await startPublicSegment();
    await net.ip("gateway", `link set public address ${GATEWAY_MAC}`);
    await net.exec("admin", ["ip", "netns", "add", "machine"]);
    await net.ip("machine", "link set lo up");
    await net.connect("n1", "tap0", "machine", "eth0");
    await net.ip(
      "machine",
      `link set eth0 address ${MACHINE_MAC}`,
      `address add ${MACHINE}/24 dev eth0`,
      "route add default via 203.0.113.1",
    );
    await net.ip("n1", `address add ${VIP}/32 dev lo`);
    for (const [place, text] of [
      ["n1", "the node"],
      ["machine", "the machine"],
      ["client", "the client"],
      ["pod", "the pod"],
    ] as const) {
      await serve(net, place, "80", text);
    }
    for (const place of ["n1", "pod"]) await net.nft(place, ARRIVALS);
    await net.ip("host", `route add 10.244.0.0/16 via ${VIP} dev public`);
    reconciler = RemoteReconciler.start(net, "n1");
    untouched = await kernelState(net, "n1");
  });
  after(async () => {
    await reconciler?.end();
    await net?.end();
  });

  it("C11: the bridge carries MAC, routes and the segment; its port is up and does not learn", async () => {
    const result = await reconcile(true);
    assert.ok(isConverged(result), JSON.stringify(result));
    assert.deepEqual((await forward([{ mac: GATEWAY_MAC, vtep: "10.0.7.19" }])).errors, []);
    const [bridge, port] = [await link("br228"), await link("vxlan228")];
    assert.equal(bridge.address, plan.networks[0]?.speaker?.mac);
    assert.deepEqual([bridge.ifalias, port.ifalias], ["vlan-router:vxlan228", "vlan-router:vxlan228"]);
    assert.deepEqual([port.master, port.operstate, bridge.operstate], ["br228", "UNKNOWN", "UP"]);
    const { info_data, info_slave_data } = port.linkinfo as Record<string, Record<string, unknown>>;
    assert.deepEqual([info_data?.learning, info_slave_data?.learning], [false, false]);
    assert.equal(
      await output("ip route show table 228"),
      "default via 203.0.113.1 dev br228 proto 118 \n203.0.113.0/24 dev br228 proto 118 scope link \n",
    );
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
  });

  it("tells bridge and VXLAN interface of a remote MAC, so that the bridge does not flood its frames", async () => {
    assert.deepEqual(await entriesOf(GATEWAY_MAC), [
      `${GATEWAY_MAC} dev vxlan228 dst 10.0.7.19 self extern_learn permanent`,
      `${GATEWAY_MAC} dev vxlan228 extern_learn master br228`,
    ]);
  });

  it("keeps its MTU when a port with a smaller one comes, which lowers that of a bridge that nobody set", async () => {
    await net.ip("n1", "link set tap0 master br228");
    assert.equal((await link("br228")).mtu, 1500);
    const result = await reconciler.reconcile(plan);
    assert.deepEqual(result.networks[0]?.repaired, ["ip link set dev br228 mtu 1550"]);
    await net.ip("n1", "link set tap0 mtu 1400");
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
    await net.ip("n1", "link set tap0 mtu 1500");
  });

  it("keeps an entry of its own for a machine's MAC out of the bridge while the machine is seen on this node", async () => {
    assert.equal(await request(net, "machine", CLIENT), "the client");
    const hosts = [
      { mac: GATEWAY_MAC, vtep: "10.0.7.19" },
      { mac: MACHINE_MAC, vtep: "10.0.7.20" },
    ];
    const added = await forward(hosts);
    assert.deepEqual(added, {
      done: [`bridge fdb replace ${MACHINE_MAC} dev vxlan228 dst 10.0.7.20 self extern_learn`],
      errors: [],
    });
    assert.deepEqual(await entriesOf(MACHINE_MAC), [
      `${MACHINE_MAC} dev tap0 master br228`,
      `${MACHINE_MAC} dev vxlan228 dst 10.0.7.20 self extern_learn permanent`,
    ]);
    assert.deepEqual(await forward(hosts.slice(0, 1)), {
      done: [`bridge fdb del ${MACHINE_MAC} dev vxlan228 dst 10.0.7.20 self`],
      errors: [],
    });
  });

  // kubeadm's preflight asks for 1: frames that pass the bridge then meet every table of inet.
  for (const calls of [0, 1] as const) {
    describe(`with bridge-nf-call-iptables ${calls}`, () => {
      before(() => callsOfBridges(calls));

      it("a client reaches the node's address and the reply leaves by the bridge", async () => {
        assert.equal(await request(net, "client", VIP), "the node");
      });

      it("a client reaches a machine behind the bridge, and the machine the client", async () => {
        assert.equal(await request(net, "client", MACHINE), "the machine");
        assert.equal(await request(net, "machine", CLIENT), "the client");
      });

      it("a machine reaches the node's public address", async () => {
        assert.equal(await request(net, "machine", VIP), "the node");
      });

      it("a host on the segment does not reach a pod through the node", async () => {
        assert.equal(await request(net, "host", VIP), "the node");
        await takeCount(net, "pod", "arrivals", "from_host");
        assert.equal(await request(net, "host", POD), undefined);
        assert.equal(await takeCount(net, "pod", "arrivals", "from_host"), 0);
      });
    });
  }

  it("C11: a port that somebody lets learn, or takes off the bridge, is put right", async () => {
    await net.ip("n1", "link set vxlan228 type bridge_slave learning on");
    const learning = await reconciler.reconcile(plan);
    assert.deepEqual(learning.networks[0]?.repaired, ["ip link set dev vxlan228 type bridge_slave learning off"]);
    await net.ip("n1", "link set vxlan228 nomaster");
    const free = await reconciler.reconcile(plan);
    assert.deepEqual(free.networks[0]?.repaired, [
      "ip link set dev vxlan228 master br228",
      "ip link set dev vxlan228 type bridge_slave learning off",
      `bridge fdb replace ${GATEWAY_MAC} dev vxlan228 master dynamic extern_learn`,
    ]);
    assert.equal(await request(net, "client", MACHINE), "the machine");
  });

  it("flags of the port and STP of the bridge, which somebody sets, are put right", async () => {
    await net.ip(
      "n1",
      "link set vxlan228 type bridge_slave flood off mcast_flood off bcast_flood off isolated on",
      "link set br228 type bridge stp_state 1",
    );
    const result = await reconciler.reconcile(plan);
    assert.deepEqual(result.networks[0]?.repaired, [
      "ip link set dev br228 type bridge stp_state 0",
      "ip link set dev vxlan228 type bridge_slave flood on mcast_flood on bcast_flood on isolated off",
    ]);
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
    assert.equal(await request(net, "client", MACHINE), "the machine");
  });

  it("C10: a MAC that somebody changes is set again in place, and routes and entries stay", async () => {
    await net.ip("n1", "link set br228 address 02:00:00:00:00:99");
    const result = await reconciler.reconcile(plan);
    assert.deepEqual(result.networks[0]?.repaired, [`ip link set dev br228 address ${plan.networks[0]?.speaker?.mac}`]);
    assert.ok(isUnchanged(await reconciler.reconcile(plan)));
  });

  it("stays while a machine has its port in it, and says so; nothing else of the network is left", async () => {
    const { errors, stays } = await reconciler.cleanUp();
    assert.deepEqual(errors, []);
    assert.deepEqual(stays, [
      {
        reason: "BridgeInUse",
        message:
          "bridge br228 stays as long as others have ports in it (tap0); take them off with: ip link set dev tap0 nomaster",
        ours: true,
      },
    ]);
    const links = (await output("ip -br link show")).split("\n").map((line) => line.split(/[\s@]/)[0]);
    assert.deepEqual([links.includes("br228"), links.includes("vxlan228")], [true, false]);
    assert.doesNotMatch(await output("ip rule"), /proto 118/);
  });

  it("goes with the last foreign port, without a trace", async () => {
    await net.ip("n1", "link set tap0 nomaster");
    assert.deepEqual(await reconciler.cleanUp(), {
      done: ["ip link del dev br228"],
      errors: [],
      stays: [],
      goesAlong: [],
    });
    assert.deepEqual(comparable(await kernelState(net, "n1")), comparable(untouched));
  });

  it("takes routes over from the VXLAN interface and gives them back, while the rules stand", async () => {
    await callsOfBridges(0);
    assert.ok(isConverged(await reconcile(false)));
    await forward([]);
    assert.equal(await request(net, "client", VIP), "the node");
    const rules = await output("ip rule");
    for (const [bridge, device] of [
      [true, "br228"],
      [false, "vxlan228"],
    ] as const) {
      const result = await reconcile(bridge);
      assert.ok(isConverged(result), JSON.stringify(result));
      assert.equal(await output("ip rule"), rules);
      assert.match(await output("ip route show table 228"), new RegExp(`^default via 203.0.113.1 dev ${device} `));
      // What was on its way to the former interface is sent again after one second, then after two.
      await waitFor(`an answer by ${device}`, async () => (await request(net, "client", VIP)) === "the node");
      assert.ok(isUnchanged(await reconciler.reconcile(plan)));
    }
    assert.deepEqual((await reconciler.cleanUp()).errors, []);
    assert.deepEqual(comparable(await kernelState(net, "n1")), comparable(untouched));
  });

  it("that a network does not want any more fails nothing while a machine is in it, and goes when the machine leaves", async () => {
    assert.ok(isConverged(await reconcile(true)));
    await net.ip("n1", "link set tap0 master br228");
    const { node, networks, stays } = await reconcile(false);
    assert.deepEqual([node.errors, networks.flatMap(({ errors, conflicts }) => [...errors, ...conflicts])], [[], []]);
    assert.deepEqual(
      stays.map(({ reason }) => reason),
      ["BridgeInUse"],
    );
    await reconciler.follow(plan);
    await sleep(monitorsStart);
    const start = monotonicTime();
    await net.ip("n1", "link set tap0 nomaster");
    const isGone = async () => !(await output("ip -br link show")).split("\n").some((line) => line.startsWith("br228"));
    await waitFor("the bridge's end", isGone, { timeout: 5_000 });
    console.log(`the bridge went ${(monotonicTime() - start).toFixed(0)} ms after its last port`);
    assert.match(await output("ip route show table 228"), /^default via 203.0.113.1 dev vxlan228 /);
  });
});

/** The times of the bridge port that tap0 was are gone with it; only counters of nft differ otherwise. */
function comparable(state: KernelState): KernelState {
  return Object.fromEntries(
    Object.entries(state).map(([command, text]) => [command, text.replace(/packets \d+ bytes \d+/g, "packets")]),
  );
}
