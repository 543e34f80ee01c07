import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  bgpNeighbors,
  createProgress,
  type EvpnRoute,
  evpnRoutes,
  type Lab,
  type LabProcess,
  labDown,
  labUp,
  type NodeName,
  type ReflectorName,
  reflectorNames,
  startReflector,
  stopReflector,
  underlay,
  waitFor,
} from "../../lab/index.js";
import type { SpeakerPlan } from "../../model/index.js";
import { assertWellFormed, decoded } from "./message-capture.js";
import { RemoteSpeaker } from "./remote-speaker.js";

const LAB = "interop-speaker";
const FIRST = "vxlan228";
const SECOND = "vxlan240";
const ADDRESS = "203.0.113.10";

/** Milliseconds. GoBGP in our place took 5 to 8 s; ours takes a fraction of one on an idle machine. */
const LONGEST_START = 5000;

let lab: Lab;
let speaker: RemoteSpeaker;
let capture: LabProcess;

function plan(node: NodeName, vni: number, mac: string): SpeakerPlan {
  const vtep = underlay.nodes[node];
  return {
    vni,
    vtep,
    mac,
    routerId: vtep,
    localAsn: 65001,
    peerAsn: 65001,
    peers: reflectorNames.map((name) => underlay.reflectors[name]),
    holdTime: 9,
    routeDistinguisher: `${vtep}:${vni}`,
    importRouteTargets: [`65001:${vni}`],
    exportRouteTargets: [`65001:${vni}`],
    gobgpPort: 20000 + vni,
  };
}

/** Of `show bgp neighbors json`. */
interface NeighborMessages {
  readonly messageStats: { readonly routeRefreshRecv: number };
}

const mac = "02:00:00:00:02:28";
const first = { network: FIRST, plan: plan("n1", 228, mac) };
const second = { network: SECOND, plan: plan("n1", 240, "02:00:00:00:02:40") };

before(async () => {
  lab = await labUp(LAB, createProgress(), { kubernetes: false });
  // Written inside the lab's state directory, so that it goes with the lab.
  capture = lab.spawn("n1", ["tcpdump", "-U", "-i", "eth0", "-w", captureFile(), "tcp port 179"], { stdio: "ignore" });
  speaker = new RemoteSpeaker(lab, "n1");
});

after(async () => {
  await capture?.kill();
  await labDown(LAB);
});

function captureFile(): string {
  return join(lab.stateDirectory, "speaker.pcap");
}

/** Our routes in a reflector's table, by FRR's own reading. */
async function routesOf(node: NodeName, reflector: ReflectorName): Promise<readonly EvpnRoute[]> {
  return (await evpnRoutes(lab, reflector)).filter(({ from }) => from === underlay.nodes[node]);
}

async function leafEntries(reflector: ReflectorName, vni: number, entry: string): Promise<string[]> {
  const { stdout } = await lab.exec(reflector, ["bridge", "fdb", "show", "dev", `vni${vni}`]);
  return stdout.split("\n").filter((line) => line.startsWith(entry) && line.includes(" dst "));
}

async function sessionStates(network: string): Promise<string[]> {
  return (await speaker.sessions(network)).map(({ state }) => state);
}

function allEstablished(network: string): Promise<true> {
  const probe = async () => (await sessionStates(network)).join() === "Established,Established" || undefined;
  return waitFor(`both sessions of ${network}`, probe, { timeout: 15_000 });
}

test("both sessions are Established soon after the start", async (context) => {
  const start = Date.now();
  await speaker.setNetworks([first]);
  await allEstablished(FIRST);
  const duration = Date.now() - start;
  context.diagnostic(`two sessions after ${duration} ms`);
  assert.ok(duration < LONGEST_START, `took ${duration} ms`);
  for (const name of reflectorNames) {
    const neighbor = (await bgpNeighbors(lab, name)).find(({ address }) => address === underlay.nodes.n1);
    assert.equal(neighbor?.state, "Established", name);
  }
});

test("FRR holds our routes with the right distinguisher, target, encapsulation and next hop", async () => {
  await speaker.setAddresses(FIRST, [ADDRESS]);
  await speaker.initialStateKnown();
  for (const name of reflectorNames) {
    const routes = await waitFor(`three routes on ${name}`, async () => {
      const found = await routesOf("n1", name);
      return found.length === 3 ? found : undefined;
    });
    assert.deepEqual(routes.map(({ prefix }) => prefix).sort(), [
      `[2]:[0]:[48]:[${mac}]`,
      `[2]:[0]:[48]:[${mac}]:[32]:[${ADDRESS}]`,
      "[3]:[0]:[32]:[10.0.7.11]",
    ]);
    for (const route of routes) {
      assert.equal(route.rd, "10.0.7.11:228");
      assert.equal(route.nextHop, "10.0.7.11");
      assert.deepEqual(route.routeTargets, ["65001:228"]);
      assert.match(route.extendedCommunities, /ET:8\b/);
      assert.equal(route.ethernetTag, 0);
    }
  }
});

test("FRR installs what it takes for ours: the host's entry and the flooding entry", async (context) => {
  for (const name of reflectorNames) {
    const [host] = await waitFor(`our MAC on ${name}`, async () => {
      const found = await leafEntries(name, 228, mac);
      return found.length > 0 ? found : undefined;
    });
    assert.match(host ?? "", /dst 10\.0\.7\.11 /);
    const flood = await leafEntries(name, 228, "00:00:00:00:00:00");
    assert.equal(flood.filter((line) => / dst 10\.0\.7\.11 /.test(line)).length, 1, name);
    const { stdout } = await lab.exec(name, ["vtysh", "-d", "zebra", "-c", "show evpn arp-cache vni 228"]);
    context.diagnostic(`${name}: ${stdout.split("\n").find((line) => line.includes(ADDRESS))}`);
    assert.match(stdout, new RegExp(`${ADDRESS.replaceAll(".", "\\.")}\\s+remote\\s+active\\s+${mac}`));
  }
});

test("we learn both leaves as flooding targets, and the gateway's MAC behind its leaf", async () => {
  // The gateway's first frame makes its leaf learn the MAC.
  await lab.exec("gateway", ["ping", "-c1", "-W1", "203.0.113.99"], { check: false });
  const { stdout } = await lab.exec("gateway", ["cat", "/sys/class/net/segment228/address"]);
  const expected = { mac: stdout.trim(), vtep: "10.0.7.19" };
  const state = await waitFor("the gateway's MAC", async () => {
    const seen = await speaker.forwarding(FIRST);
    return seen?.hosts.some((host) => host.mac === expected.mac) ? seen : undefined;
  });
  assert.deepEqual(state.flood, ["10.0.7.19", "10.0.7.20"]);
  assert.deepEqual(
    state.hosts.filter((host) => host.mac === expected.mac),
    [expected],
  );
});

test("a withdrawn address is gone from FRR, the MAC stays", async () => {
  await speaker.setAddresses(FIRST, []);
  for (const name of reflectorNames) {
    await waitFor(`two routes on ${name}`, async () => (await routesOf("n1", name)).length === 2);
    assert.equal((await leafEntries(name, 228, mac)).length, 1);
  }
});

test("FRR asks for our routes again and keeps them", async () => {
  for (const name of reflectorNames) {
    const before = await routesOf("n1", name);
    assert.equal(before.length, 2);
    const refreshes = async () => {
      const { stdout } = await lab.exec(name, ["vtysh", "-c", `show bgp neighbors ${underlay.nodes.n1} json`]);
      const [neighbor] = Object.values(JSON.parse(stdout) as Record<string, NeighborMessages>);
      return neighbor?.messageStats.routeRefreshRecv ?? 0;
    };
    await lab.exec(name, ["vtysh", "-c", "clear bgp l2vpn evpn * soft in"]);
    await waitFor(`the begin and the end of the replay at ${name}`, async () => (await refreshes()) === 2 || undefined);
    assert.deepEqual(await routesOf("n1", name), before);
  }
  await allEstablished(FIRST);
});

test("a second network joins the sessions without touching them, and leaves again", async () => {
  const uptimes = async () =>
    Promise.all(
      reflectorNames.map(async (name) => {
        const neighbor = (await bgpNeighbors(lab, name)).find(({ address }) => address === underlay.nodes.n1);
        return neighbor?.uptime ?? 0;
      }),
    );
  const before = await uptimes();
  const since = (await speaker.sessions(FIRST)).map((session) => session.since);
  await speaker.setNetworks([first, second]);
  for (const name of reflectorNames) {
    await waitFor(`the second network on ${name}`, async () => (await routesOf("n1", name)).length === 4);
    await waitFor(`its MAC on ${name}`, async () => (await leafEntries(name, 240, "02:00:00:00:02:40")).length === 1);
  }
  assert.deepEqual((await speaker.forwarding(SECOND))?.flood, ["10.0.7.19", "10.0.7.20"]);
  await speaker.setNetworks([first]);
  for (const name of reflectorNames) {
    await waitFor(`its end on ${name}`, async () => (await routesOf("n1", name)).length === 2);
    await waitFor(`no MAC on ${name}`, async () => (await leafEntries(name, 240, "02:00:00:00:02:40")).length === 0);
  }
  assert.deepEqual(
    (await speaker.sessions(FIRST)).map((session) => session.since),
    since,
  );
  assert.ok(
    (await uptimes()).every((uptime, index) => uptime >= (before[index] ?? 0)),
    "FRR has seen the same sessions all the time",
  );
});

test("C9: a reflector's routing process ends: the session is down, what it told us stays; it comes back", async (context) => {
  const stateBefore = await speaker.forwarding(FIRST);
  await stopReflector(lab, "rr1");
  await waitFor("the loss", async () => (await sessionStates(FIRST))[0] !== "Established");
  const [lost, kept] = await speaker.sessions(FIRST);
  assert.equal(kept?.state, "Established");
  context.diagnostic(`lost session: ${lost?.state}, ${lost?.lastError}`);
  assert.deepEqual(await speaker.forwarding(FIRST), stateBefore);

  await startReflector(lab, "rr1");
  const start = Date.now();
  await allEstablished(FIRST);
  context.diagnostic(`Established again ${Date.now() - start} ms after bgpd was ready`);
  await waitFor("our routes on rr1", async () => (await routesOf("n1", "rr1")).length === 2);
  await waitFor("its routes here", async () => (await speaker.forwarding(FIRST))?.flood.length === 2);
  assert.deepEqual(await speaker.forwarding(FIRST), stateBefore);
});

test("C4: an address moves to another node: FRR follows to its MAC although the first still claims it, and back", async () => {
  const other = new RemoteSpeaker(lab, "n2");
  const otherMac = "02:00:00:00:12:28";
  const bound = (name: ReflectorName) => async () => {
    const { stdout } = await lab.exec(name, ["vtysh", "-d", "zebra", "-c", "show evpn arp-cache vni 228 json"]);
    const cache = JSON.parse(stdout) as Record<string, { mac?: string; state?: string } | number>;
    const entry = cache[ADDRESS];
    return typeof entry === "object" ? entry.mac : undefined;
  };
  const follows = async (wanted: string) => {
    for (const name of reflectorNames) {
      await waitFor(`${ADDRESS} at ${wanted} on ${name}`, async () => (await bound(name)()) === wanted);
    }
  };
  await speaker.setAddresses(FIRST, [ADDRESS]);
  await follows(mac);

  /** FRR's reading of the MAC mobility number: the same on all Type-2 routes of the node. */
  const carries = async (node: NodeName, sequence: number) => {
    for (const name of reflectorNames) {
      const hosts = (await routesOf(node, name)).filter(({ routeType }) => routeType === 2);
      assert.equal(hosts.length, 2);
      for (const { extendedCommunities } of hosts) {
        assert.match(extendedCommunities, new RegExp(`MM:${sequence}\\b`));
      }
    }
  };
  await other.setNetworks([{ network: FIRST, plan: plan("n2", 228, otherMac) }]);
  await waitFor("n2's routes from its peers", async () =>
    (await other.forwarding(FIRST))?.neighbours.some(({ address }) => address === ADDRESS),
  );
  await other.setAddresses(FIRST, [ADDRESS]);
  await follows(otherMac);
  await carries("n2", 1);
  assert.deepEqual(
    (await other.forwarding(FIRST))?.hosts.filter((host) => host.mac === mac),
    [{ mac, vtep: "10.0.7.11" }],
    "n1 itself stays reachable",
  );
  await speaker.setAddresses(FIRST, []);
  await speaker.setAddresses(FIRST, [ADDRESS]);
  await follows(mac);
  await carries("n1", 2);
  await other.close(true);
});

test("the reflectors forget a node whose speaker is killed; its TCP connections close at once", async (context) => {
  const start = Date.now();
  await speaker.kill();
  for (const name of reflectorNames) {
    await waitFor(`no routes on ${name}`, async () => (await routesOf("n1", name)).length === 0, { interval: 10 });
  }
  context.diagnostic(`gone from both reflectors after ${Date.now() - start} ms (FRR 8.4 keeps no EVPN routes)`);
});

test("an independent decoder finds nothing wrong in what we sent", async () => {
  await capture.kill();
  await capture.exit;
  const ours = "ip.src == 10.0.7.11";
  const run = (argv: readonly string[]) => lab.admin(argv);
  await assertWellFormed(run, captureFile(), ours, ["1", "2", "4", "5"]);
  const marks = await decoded(run, captureFile(), `${ours} && bgp.type == 5`, "bgp.route_refresh.subtype");
  assert.deepEqual([...new Set(marks)].sort(), ["1", "2"], "marks of a replay");
});
