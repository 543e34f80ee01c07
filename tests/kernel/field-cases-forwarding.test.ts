import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import type { ReceivedRoute } from "../../agent-image/agent/bgp/rib/received-route.js";
import { NetworkRib } from "../../agent-image/agent/evpn/network-rib.js";
import { waitFor } from "../../lab/processes/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { baseYaml, configuration, startNode } from "./base-node.js";
import { KernelEvents } from "./kernel-events.js";
import { RemoteReconciler } from "./remote-reconciler.js";

const MAC = "02:00:00:00:00:01";
const own = { vni: 228, vtep: "10.0.7.5", mac: "02:00:00:00:00:05" };
const traits = {
  routeTargets: ["65001:228"],
  tunnelTypes: [8],
  sequence: 0,
  sticky: false,
  longLivedStale: false,
  notLongLived: false,
  flood: undefined,
};

/** Type-3. */
function flood(originator: string, { stale = false } = {}): ReceivedRoute {
  return {
    route: { kind: "inclusive-multicast", routeDistinguisher: `${originator}:2`, ethernetTag: 0, originator },
    nextHop: originator,
    traits: { ...traits, flood: { label: 228, endpoint: originator } },
    stale,
  };
}

/** Type-2 of {@link MAC}. */
function host(vtep: string, { sequence = 0, stale = false } = {}): ReceivedRoute {
  return {
    route: {
      kind: "mac-ip",
      routeDistinguisher: `${vtep}:2`,
      ethernetSegment: "00000000000000000000",
      ethernetTag: 0,
      mac: MAC,
      ip: undefined,
      label: 228,
      label2: undefined,
    },
    nextHop: vtep,
    traits: { ...traits, sequence },
    stale,
  };
}

describe("what routes make of the forwarding entries of a VXLAN interface", () => {
  let node: TestNamespaces;
  let reconciler: RemoteReconciler;
  let events: KernelEvents;

  const receive = async (...routes: readonly ReceivedRoute[]): Promise<void> => {
    const rib = new NetworkRib(own);
    for (const route of routes) rib.add(route);
    const { errors } = await reconciler.applyForwarding("vxlan228", rib.forwarding());
    assert.deepEqual(errors, []);
  };
  const entries = async (): Promise<readonly string[]> =>
    (await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"])).stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ").slice(0, 3).join(" "))
      .toSorted();

  before(async () => {
    node = await startNode();
    reconciler = RemoteReconciler.start(node, "n1");
    await reconciler.reconcile(await reconciler.plan(configuration(baseYaml)));
    events = await KernelEvents.start(node, "n1");
  });
  after(async () => {
    await events?.end();
    await reconciler?.end();
    await node?.end();
  });
  beforeEach(async () => {
    await receive();
    await events.take();
  });
  afterEach(() => receive());

  it("C1: flood entries are exactly the other VTEPs, whoever reflects them, and go one by one", async () => {
    const reflected = [flood("10.0.7.19"), flood("10.0.7.20"), flood("10.0.7.5")];
    await receive(...reflected, ...reflected);
    assert.deepEqual(await entries(), ["00:00:00:00:00:00 dst 10.0.7.19", "00:00:00:00:00:00 dst 10.0.7.20"]);
    await receive(...reflected, flood("10.0.7.19"));
    await receive(flood("10.0.7.20"), flood("10.0.7.5"));
    assert.deepEqual(await entries(), ["00:00:00:00:00:00 dst 10.0.7.20"]);
    await receive(flood("10.0.7.5"));
    assert.deepEqual(await entries(), []);
  });

  describe("C2: a MAC that moves to another VTEP is there alone", () => {
    for (const [order, steps] of [
      [
        "the new route before the withdrawal of the old",
        [[host("10.0.7.19"), host("10.0.7.20", { sequence: 1 })], [host("10.0.7.20", { sequence: 1 })]],
      ],
      ["the withdrawal of the old route first", [[], [host("10.0.7.20", { sequence: 1 })]]],
      [
        "and the withdrawal of a path that was not the best",
        [
          [host("10.0.7.18"), host("10.0.7.19"), host("10.0.7.20", { sequence: 1 })],
          [host("10.0.7.18"), host("10.0.7.20", { sequence: 1 })],
          [host("10.0.7.20", { sequence: 1 })],
        ],
      ],
    ] as const) {
      it(`C2: ${order}`, async () => {
        await receive(host("10.0.7.19"));
        assert.deepEqual(await entries(), [`${MAC} dst 10.0.7.19`]);
        for (const routes of steps) await receive(...routes);
        assert.deepEqual(await entries(), [`${MAC} dst 10.0.7.20`]);
      });
    }

    it("C2: without a moment of nowhere: the kernel tells of one replacement", async () => {
      await receive(host("10.0.7.19"));
      await events.take();
      await receive(host("10.0.7.19"), host("10.0.7.20", { sequence: 1 }));
      await receive(host("10.0.7.20", { sequence: 1 }));
      const told = await events.take();
      assert.deepEqual(
        told.map((line) => line.split(" ").slice(0, 5).join(" ")),
        [`${MAC} dev vxlan228 dst 10.0.7.20`],
      );
    });
  });

  it("C9: what a lost reflector told stays as it is: the kernel tells of nothing", async () => {
    const state = { mac: host("10.0.7.19"), flood: [flood("10.0.7.19"), flood("10.0.7.20")] };
    await receive(state.mac, ...state.flood, state.mac, ...state.flood);
    await events.take();
    // One of two, then both: their routes are stale, and the speaker forgets them when its time is over.
    await receive(state.mac, ...state.flood);
    await receive(
      host("10.0.7.19", { stale: true }),
      ...["10.0.7.19", "10.0.7.20"].map((vtep) => flood(vtep, { stale: true })),
    );
    await receive(state.mac, ...state.flood);
    assert.deepEqual(await events.take(), []);
  });

  // How fast is timed in repair.test.ts, for every kind of damage.
  it("C1: a flood entry that somebody deletes is put back", async () => {
    await receive(flood("10.0.7.19"), flood("10.0.7.20"));
    const plan = await reconciler.plan(configuration(baseYaml));
    await reconciler.follow(plan);
    await waitFor("the first pass", async () => (await reconciler.passes()).length > 0);
    await node.exec("n1", ["bridge", "fdb", "del", "00:00:00:00:00:00", "dev", "vxlan228", "dst", "10.0.7.20"]);
    await waitFor("the entry", async () => (await entries()).length === 2);
  });
});

describe("a VXLAN interface that learns", () => {
  it("C11: what it has learned is nobody's to delete, and its flood list is the configured one", async () => {
    const yaml = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;
    const node = await startNode();
    const reconciler = RemoteReconciler.start(node, "n1");
    try {
      const plan = await reconciler.plan(configuration(yaml));
      await reconciler.reconcile(plan);
      // As the data plane enters the sender of a frame: no control plane's flag, and it ages.
      await node.exec("n1", ["bridge", "fdb", "add", MAC, "dev", "vxlan228", "dst", "10.0.7.19", "dynamic"]);
      const { networks } = await reconciler.reconcile(plan);
      assert.deepEqual(networks[0]?.repaired, []);
      const { stdout } = await node.exec("n1", ["bridge", "fdb", "show", "dev", "vxlan228"]);
      assert.deepEqual(stdout.trim().split(/\s*\n/).toSorted(), [
        "00:00:00:00:00:00 dst 10.0.7.19 self permanent",
        `${MAC} dst 10.0.7.19 self`,
      ]);
    } finally {
      await reconciler.end();
      await node.end();
    }
  });
});

describe("the UDP port of a VXLAN interface", () => {
  for (const [what, option, port] of [
    ["without a word", "", 4789],
    ["that is set", ", port: 8472", 8472],
  ] as const) {
    // A port that nobody gives is 8472 in the kernel (vxlan(4) of iproute2), which some hypervisors keep for themselves.
    it(`C12: ${what}: ${port}`, async () => {
      const node = await startNode();
      const reconciler = RemoteReconciler.start(node, "n1");
      try {
        const yaml = baseYaml.replace("vni: 228", `vni: 228${option.replace(", ", "\n      ")}`);
        await reconciler.reconcile(await reconciler.plan(configuration(yaml)));
        const [link] = (await node.json("n1", "ip -d -j link show dev vxlan228")) as readonly {
          readonly linkinfo: { readonly info_data: { readonly port: number } };
        }[];
        assert.equal(link?.linkinfo.info_data.port, port);
      } finally {
        await reconciler.end();
        await node.end();
      }
    });
  }
});
