import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { addLeafSegment, FrrRouter, plugHost, unplugHost } from "./frr-router.js";
import { KernelEntries } from "./kernel-entries.js";

/**
 * Two route reflectors that only reflect, a leaf behind them, and the agent: whatever the reflectors do, the leaf's entries
 * in the node's kernel stay. The kernel itself is asked for each entry that it lost.
 */

const device = "vxlan228";
const host = "02:00:00:00:99:01";
const entries = [
  { mac: "00:00:00:00:00:00", vtep: "10.0.7.30" },
  { mac: host, vtep: "10.0.7.30" },
];

const configuration = `podNetworks: []
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.18, 10.0.7.19], holdTime: 3 }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;

const reflector = (address: string): string => `router bgp 65001
 bgp router-id ${address}
 bgp cluster-id 10.0.7.18
 no bgp default ipv4-unicast
 neighbor CLIENTS peer-group
 neighbor CLIENTS remote-as 65001
 neighbor CLIENTS timers 1 3
 neighbor CLIENTS passive
 bgp listen range 10.0.7.0/24 peer-group CLIENTS
 address-family l2vpn evpn
  neighbor CLIENTS activate
  neighbor CLIENTS route-reflector-client
 exit-address-family
`;

const leaf = `router bgp 65001
 bgp router-id 10.0.7.30
 no bgp default ipv4-unicast
 neighbor RR peer-group
 neighbor RR remote-as 65001
 neighbor RR timers 1 3
 neighbor RR timers connect 1
 neighbor 10.0.7.18 peer-group RR
 neighbor 10.0.7.19 peer-group RR
 address-family l2vpn evpn
  neighbor RR activate
  advertise-all-vni
 exit-address-family
`;

let fabric: TestNamespaces;
let reflectors: readonly FrrRouter[];
let agent: AgentProcess;
let kernel: KernelEntries;
/** Entries of other VTEPs that the kernel has lost, as `bridge monitor` tells. */
const lost: string[] = [];

before(async () => {
  fabric = await startFabric({ n1: 20, rr1: 18, rr2: 19, leaf: 30 });
  await addLeafSegment(fabric, "leaf", 228, "10.0.7.30");
  reflectors = await Promise.all([
    FrrRouter.start(fabric, "rr1", reflector("10.0.7.18")),
    FrrRouter.start(fabric, "rr2", reflector("10.0.7.19")),
  ]);
  await FrrRouter.start(fabric, "leaf", leaf);
  await plugHost(fabric, "leaf", 228, host);
  const monitor = fabric.spawn("n1", ["bridge", "monitor", "fdb"], { stdio: ["ignore", "pipe", "inherit"] });
  if (monitor.stdout !== null) {
    createInterface({ input: monitor.stdout }).on("line", (line) => {
      if (line.startsWith("Deleted") && line.includes(" dst ")) lost.push(line);
    });
  }
  kernel = new KernelEntries(fabric, "n1");
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration);
  agent.start();
  await states("Established", "Established");
  await kernel.until(device, entries);
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

/** Waits for the sessions to rr1 and rr2 to be Established or not; "down" is every other state. */
async function states(...wanted: readonly ("Established" | "down")[]): Promise<void> {
  await agent.until(`sessions ${wanted.join()}`, (networks) => {
    const sessions = networks.get(device)?.sessions ?? [];
    const now = sessions.map(({ state }) => (state === "Established" ? state : "down"));
    return now.join() === wanted.join();
  });
}

async function lastErrors(): Promise<readonly (string | undefined)[]> {
  const status = await agent.status();
  return status?.networks.find(({ name }) => name === device)?.sessions.map(({ lastError }) => lastError) ?? [];
}

/** The entries stand, and none was away in between. */
async function nothingLost(): Promise<void> {
  assert.deepEqual(await kernel.of(device), entries);
  assert.deepEqual(lost, []);
}

/** The reflectors hold the node's two routes: its Type-3 and its MAC. */
async function announced(): Promise<void> {
  for (const router of reflectors) {
    await waitFor(`our routes at ${router.place}`, async () => {
      const routes = (await router.routes()).filter(({ from }) => from === "10.0.7.20");
      return (
        routes
          .map(({ routeType }) => routeType)
          .sort()
          .join() === "2,3"
      );
    });
  }
}

test("one reflector crashes and comes back: no entry is lost", async () => {
  const [first] = reflectors;
  await first?.stopBgp("SIGKILL");
  await states("down", "Established");
  await nothingLost();
  await first?.startBgp();
  await states("Established", "Established");
  await announced();
  await nothingLost();
});

for (const [what, signal] of [
  ["crash and come back", "SIGKILL"],
  ["are shut down in good order and started again", "SIGTERM"],
] as const) {
  test(`both ${what}: no entry is lost`, async () => {
    await Promise.all(reflectors.map((router) => router.stopBgp(signal)));
    await states("down", "down");
    await nothingLost();
    await Promise.all(reflectors.map((router) => router.startBgp()));
    await states("Established", "Established");
    await announced();
    await nothingLost();
  });
}

test("one that falls silent is given up when the hold time of 3 s is over, and taken back when it speaks again", async () => {
  const [first] = reflectors;
  const silent = performance.now();
  await first?.signalBgp("SIGSTOP");
  await states("down", "Established");
  const seconds = (performance.now() - silent) / 1000;
  // The last keepalive may be a second old, and the status file is written a moment later.
  assert.ok(seconds > 1.9 && seconds < 5, `given up after ${seconds} s`);
  assert.match((await lastErrors())[0] ?? "", /hold time/i);
  await nothingLost();
  await first?.signalBgp("SIGCONT");
  await states("Established", "Established");
  await announced();
  await nothingLost();
});

test("the peers keep no routes over our restart, and the status says so", async () => {
  const condition = (await agent.status())?.networks[0]?.conditions.find(
    ({ reason }) => reason === "PeerKeepsNoRoutes",
  );
  assert.match(condition?.message ?? "", /10\.0\.7\.18, 10\.0\.7\.19 does not offer graceful restart for L2VPN EVPN/);
});

test("over a crash of the agent no entry is lost, and the reflectors have our routes again", async () => {
  await agent.stop("SIGKILL");
  await nothingLost();
  agent.start();
  await states("Established", "Established");
  await announced();
  await nothingLost();
});

test("a host that leaves while one reflector is away is gone from the node", async () => {
  const [first] = reflectors;
  await first?.stopBgp("SIGKILL");
  await states("down", "Established");
  await unplugHost(fabric, "leaf", 228, host);
  await first?.startBgp();
  await states("Established", "Established");
  await kernel.until(device, [{ mac: "00:00:00:00:00:00", vtep: "10.0.7.30" }]);
  assert.equal(lost.length, 1);
});
