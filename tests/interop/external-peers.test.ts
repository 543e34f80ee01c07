import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { externalRouter } from "./external-router.js";
import { addLeafSegment, FrrRouter, plugHost } from "./frr-router.js";
import { KernelEntries } from "./kernel-entries.js";

/**
 * eBGP: the node in AS 65001, a spine in AS 65010 that is a leaf too, and a leaf in AS 65020 behind it. The spine passes
 * routes on with the next hop that they came with, which is the VTEP (RFC 8365 section 5.1.3).
 */

const device = "vxlan228";
const atSpine = "02:00:00:00:99:01";
const atLeaf = "02:00:00:00:99:02";

const configuration = `podNetworks: []
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp:
        myAsn: 65001
        peerAsn: 65010
        peers: [10.0.7.18]
        holdTime: 9
        importRouteTargets: ["65001:228", "65010:228", "65020:228"]
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;

let fabric: TestNamespaces;
let spine: FrrRouter;
let leaf: FrrRouter;
let agent: AgentProcess;
let kernel: KernelEntries;

before(async () => {
  fabric = await startFabric({ n1: 20, spine1: 18, leaf: 30 });
  await addLeafSegment(fabric, "spine1", 228, "10.0.7.18");
  await addLeafSegment(fabric, "leaf", 228, "10.0.7.30");
  [spine, leaf] = await Promise.all([
    FrrRouter.start(fabric, "spine1", externalRouter(65010, "10.0.7.18", { "10.0.7.20": 65001, "10.0.7.30": 65020 })),
    FrrRouter.start(fabric, "leaf", externalRouter(65020, "10.0.7.30", { "10.0.7.18": 65010 })),
  ]);
  await plugHost(fabric, "spine1", 228, atSpine);
  await plugHost(fabric, "leaf", 228, atLeaf);
  await fabric.ip("n1", "address add 203.0.113.20/32 dev lo");
  kernel = new KernelEntries(fabric, "n1");
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration);
  agent.start();
  await agent.until("the session is Established", (networks) =>
    (networks.get(device)?.sessions ?? []).some(({ state }) => state === "Established"),
  );
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

test("hosts and flooding of the peer, and of the leaf behind it, are entries to their own VTEPs", async () => {
  await kernel.until(device, [
    { mac: "00:00:00:00:00:00", vtep: "10.0.7.18" },
    { mac: "00:00:00:00:00:00", vtep: "10.0.7.30" },
    { mac: atSpine, vtep: "10.0.7.18" },
    { mac: atLeaf, vtep: "10.0.7.30" },
  ]);
});

test("our routes are with both, with our AS first in the path and our VTEP as next hop", async () => {
  for (const [place, path] of [
    [spine, "65001"],
    [leaf, "65010 65001"],
  ] as const) {
    await waitFor(`our three routes at ${place.place}`, async () => {
      const ours = (await place.routes()).filter(({ rd }) => rd === "10.0.7.20:228");
      return ours.length === 3 && ours.every(({ nextHop }) => nextHop === "10.0.7.20");
    });
    const table = JSON.parse(await place.vtysh("show bgp l2vpn evpn rd 10.0.7.20:228 json")) as object;
    const paths = [...JSON.stringify(table).matchAll(/"(?:path|aspath)":"?([\d ]+)"/g)].map(([, text]) => text?.trim());
    assert.deepEqual([...new Set(paths)], [path], place.place);
  }
});

test("both leaves' kernels lead to us", async () => {
  const mac = await kernel.macOf(device);
  for (const place of ["spine1", "leaf"]) {
    const leads = new KernelEntries(fabric, place);
    await waitFor(`our entries at ${place}`, async () => {
      const ours = (await leads.of("vni228")).filter(({ vtep }) => vtep === "10.0.7.20").map((entry) => entry.mac);
      return new Set(ours).has(mac) && new Set(ours).has("00:00:00:00:00:00");
    });
  }
});
