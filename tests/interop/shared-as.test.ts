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
 * eBGP with one AS for all leaves, as many fabrics have it: node and leaf are both in AS 65001, behind a spine in AS 65010. Each
 * sees its own AS in the other's path. The leaf takes such routes (`allowas-in`); the node when it is told to.
 */

const device = "vxlan228";
const atLeaf = "02:00:00:00:99:02";

const configuration = (allowed: string) => `podNetworks: []
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65010, peers: [10.0.7.18], holdTime: 9${allowed} }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;

let fabric: TestNamespaces;
let leaf: FrrRouter;
let agent: AgentProcess;
let kernel: KernelEntries;

before(async () => {
  fabric = await startFabric({ n1: 20, spine1: 18, leaf: 30 });
  await addLeafSegment(fabric, "leaf", 228, "10.0.7.30");
  [leaf] = await Promise.all([
    FrrRouter.start(fabric, "leaf", externalRouter(65001, "10.0.7.30", { "10.0.7.18": 65010 }, ["allowas-in 1"])),
    FrrRouter.start(fabric, "spine1", externalRouter(65010, "10.0.7.18", { "10.0.7.20": 65001, "10.0.7.30": 65001 })),
  ]);
  await plugHost(fabric, "leaf", 228, atLeaf);
  kernel = new KernelEntries(fabric, "n1");
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration(""));
  agent.start();
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

test("as it stands the leaf's routes are refused, and the status says what to write", async () => {
  await agent.until("the condition with its remedy", (networks) =>
    (networks.get(device)?.conditions ?? []).some(
      ({ type, message }) =>
        type === "OwnAsInPath" &&
        /routes from 10\.0\.7\.18 were refused because our AS 65001 is in their path .* set bgp\.allowOwnAs to 1/.test(
          message,
        ),
    ),
  );
  assert.deepEqual(await kernel.of(device), []);
});

test("with allowOwnAs: 1 the leaf's host and flooding are entries to its VTEP, and the condition is gone", async () => {
  await agent.configure(configuration(", allowOwnAs: 1"));
  await kernel.until(device, [
    { mac: "00:00:00:00:00:00", vtep: "10.0.7.30" },
    { mac: atLeaf, vtep: "10.0.7.30" },
  ]);
  await agent.until("no condition about the path, nor about our own routes", (seen) =>
    (seen.get(device)?.conditions ?? []).every(({ type }) => !/OwnAsInPath|DuplicateMac|NextHopRewritten/.test(type)),
  );
});

test("our routes are with the leaf, and its kernel leads to us", async () => {
  await waitFor("our routes", async () => (await leaf.routes()).some(({ rd }) => rd === "10.0.7.20:228"));
  const mac = await kernel.macOf(device);
  await waitFor("our entries", async () => {
    const ours = (await new KernelEntries(fabric, "leaf").of("vni228")).filter(({ vtep }) => vtep === "10.0.7.20");
    return ["00:00:00:00:00:00", mac].every((wanted) => ours.some((entry) => entry.mac === wanted));
  });
});
