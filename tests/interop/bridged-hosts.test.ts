import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { addLeafSegment, FrrRouter } from "./frr-router.js";

/**
 * Machines behind the bridges of two nodes, each a network namespace. FRR is the reflector between the nodes and a leaf of the segment,
 * with a host of its own behind it.
 */

interface Machine {
  readonly address: string;
  readonly address6: string;
  readonly mac: string;
}
const machine: Machine = { address: "203.0.113.50", address6: "2001:db8:228::50", mac: "02:00:00:00:00:50" };
/** With the same MAC, as the copy that a live migration leaves behind, or a machine that was cloned. */
const clone: Machine = { ...machine, address: "203.0.113.51", address6: "2001:db8:228::51" };
const nodes = { n1: "10.0.7.11", n2: "10.0.7.12" } as const;
type Node = keyof typeof nodes;
const leafHost = "203.0.113.19";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bridge: true
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: "2001:db8:228::/64", gateway: "fe80::1" }
`;

const client = (address: string) => [
  ` neighbor ${address} remote-as 65001`,
  ` neighbor ${address} timers 3 9`,
  " address-family l2vpn evpn",
  `  neighbor ${address} activate`,
  `  neighbor ${address} route-reflector-client`,
  " exit-address-family",
];
const reflector = [
  "router bgp 65001",
  " bgp router-id 10.0.7.19",
  " no bgp default ipv4-unicast",
  ...Object.values(nodes).flatMap(client),
  " address-family l2vpn evpn",
  "  advertise-all-vni",
  " exit-address-family",
  "",
].join("\n");

let net: TestNamespaces;
let frr: FrrRouter;
const agents = new Map<Node, AgentProcess>();

before(async () => {
  net = await startFabric({ n1: 11, n2: 12, leaf: 19 });
  for (const place of ["machine", "clone", "host"]) {
    await net.exec("admin", ["ip", "netns", "add", place]);
    await net.ip(place, "link set lo up");
  }
  await addLeafSegment(net, "leaf", 228, "10.0.7.19");
  await net.connect("leaf", "tohost", "host", "eth0");
  await net.ip("leaf", "link set tohost master br228");
  await net.ip("host", `address add ${leafHost}/24 dev eth0`);
  frr = await FrrRouter.start(net, "leaf", reflector);
  for (const node of Object.keys(nodes) as Node[]) {
    const agent = await AgentProcess.create(inNamespaces(net), node, "--config", file);
    agents.set(node, agent);
    agent.start();
    await agent.until(
      "the session",
      (networks) => networks.get("vxlan228")?.sessions.every(({ state }) => state === "Established") ?? false,
      40_000,
    );
  }
});
after(async () => {
  for (const agent of agents.values()) await agent.end();
  await net?.end();
});

/** A cable from a port of the node's bridge to a machine, which speaks for its addresses as it comes up. */
async function plug(node: Node, place = "machine", { address, address6, mac }: Machine = machine): Promise<void> {
  await net.ip(
    node,
    `link add tap-${place} type veth peer name eth0 netns ${place}`,
    `link set tap-${place} master br228 up`,
  );
  await net.sysctl(
    place,
    "net.ipv6.conf.eth0.accept_dad=0",
    "net.ipv4.conf.eth0.arp_notify=1",
    "net.ipv6.conf.eth0.ndisc_notify=1",
  );
  await net.ip(
    place,
    `link set eth0 address ${mac}`,
    `address add ${address}/24 dev eth0`,
    `address add ${address6}/64 dev eth0 nodad`,
    "link set eth0 up",
  );
}

/** Asks somebody of each family whom nobody is: until then nobody knows the machine's addresses. */
async function speak(place = "machine"): Promise<void> {
  for (const nobody of ["203.0.113.99", "2001:db8:228::99"]) {
    await net.exec(place, ["ping", "-c", "1", "-W", "0.3", nobody], { check: false });
  }
}

const unplug = (node: Node, place = "machine") => net.ip(node, `link del tap-${place}`);

/** What FRR has of a MAC: each VTEP with the addresses and the MAC mobility number. */
async function routesOf(mac: string): Promise<readonly string[]> {
  const routes = (await frr.routes()).filter((route) => route.routeType === 2 && route.mac === mac);
  return routes
    .map(
      ({ nextHop, ip, extendedCommunities }) =>
        `${nextHop} ${ip ?? "-"} ${/MM:(\d+)/.exec(extendedCommunities)?.[1] ?? 0}`,
    )
    .toSorted();
}

async function untilRoutes(
  what: string,
  wanted: readonly string[],
  mac: string = machine.mac,
  timeout = 10_000,
): Promise<void> {
  await waitFor(what, async () => (await routesOf(mac)).join() === wanted.join(), { timeout, interval: 50 }).catch(
    async (error: Error) => {
      throw new Error(`${error.message}; FRR has ${JSON.stringify(await routesOf(mac))}`);
    },
  );
}

const reach = async (): Promise<boolean> =>
  (await net.exec("host", ["ping", "-c", "1", "-W", "1", machine.address], { check: false })).code === 0;

/** What the status of the node says, once it says so: how many machines are behind its bridge. */
const untilCounted = (node: Node, count: number | undefined) =>
  agents
    .get(node)
    ?.until(`the status of ${node} to count ${count ?? 0}`, (networks) =>
      [...networks.values()].every(({ bridgedHosts }) => bridgedHosts === count),
    );

const both = (vtep: string, sequence: number) =>
  [
    `${vtep} - ${sequence}`,
    `${vtep} ${machine.address6} ${sequence}`,
    `${vtep} ${machine.address} ${sequence}`,
  ].toSorted();

describe("a machine behind the bridge of a node", () => {
  test("FRR has Type-2 with the machine's MAC, alone and with its addresses of both families, and a host there reaches it", async () => {
    await plug("n1");
    await speak();
    await untilRoutes("the machine's routes", both(nodes.n1, 0));
    const cache = await frr.vtysh(`show evpn mac vni 228 mac ${machine.mac}`);
    assert.match(cache, /Remote VTEP: 10\.0\.7\.11/);
    await untilCounted("n1", 1);
    await untilCounted("n2", undefined);
    assert.ok(await reach());
  });

  test("neither the node's MAC nor the gateway's address is announced by it", async () => {
    await net.ip("machine", "address add 203.0.113.1/32 dev eth0");
    await net.exec("machine", ["ping", "-c", "1", "-W", "1", "-I", "203.0.113.1", "203.0.113.97"], { check: false });
    await sleep(500);
    assert.deepEqual(await routesOf(machine.mac), both(nodes.n1, 0));
    await net.ip("machine", "address del 203.0.113.1/32 dev eth0");
  });

  test("C13: a silent machine that the bridge forgets is asked by its port alone and stays, for FRR without a break", async () => {
    const counter = `table arp asked {
      counter questions {}
      chain in { type filter hook input priority 0; arp operation request arp saddr ip 0.0.0.0 arp daddr ip ${machine.address} counter name questions; }
    }`;
    for (const place of ["machine", "host"]) await net.nft(place, counter);
    const asked = async (place: string) => {
      const { stdout } = await net.exec(place, ["nft", "list", "counter", "arp", "asked", "questions"]);
      return Number(/packets (\d+)/.exec(stdout)?.[1]);
    };
    for (let round = 0; round < 6; round += 1) {
      await net.bridge("n1", `fdb del ${machine.mac} dev tap-machine master`);
      const until = performance.now() + 2_000;
      while (performance.now() < until) {
        assert.deepEqual(await routesOf(machine.mac), both(nodes.n1, 0));
        await sleep(100);
      }
      assert.match(
        (await net.exec("n1", ["bridge", "fdb", "show", "dev", "tap-machine"])).stdout,
        new RegExp(machine.mac),
      );
    }
    assert.ok((await asked("machine")) > 0);
    assert.equal(await asked("host"), 0, "no question went into the segment");
  });

  test("an agent that starts again announces it without having heard anything of it, and nothing is withdrawn meanwhile for long", async () => {
    const agent = agents.get("n1");
    await agent?.stop();
    agent?.start();
    await untilRoutes("the machine's routes again", both(nodes.n1, 0), machine.mac, 30_000);
    await waitFor("the machine to be reached", reach);
  });

  test("moves to another node: there its number is above, the first node gives it up, and the leaf's host reaches it again", async () => {
    const started = performance.now();
    const ping = net.spawn("host", ["ping", "-i", "0.02", "-c", "250", "-W", "1", machine.address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    ping.stdout?.on("data", (chunk) => {
      text += String(chunk);
    });
    await sleep(500);
    await unplug("n1");
    await plug("n2");
    await speak();
    await waitFor("the machine's routes behind n2", async () => {
      const routes = (await routesOf(machine.mac)).map((route) => route.replace(/ \d+$/, ""));
      return (
        routes.join() ===
        both(nodes.n2, 0)
          .map((route) => route.replace(/ \d+$/, ""))
          .join()
      );
    });
    await new Promise((done) => ping.once("exit", done));
    const [, sent, received] = /(\d+) packets transmitted, (\d+) received/.exec(text) ?? [];
    console.log(
      `a machine moved: ${Number(sent) - Number(received)} of ${sent} pings lost, one each 20 ms (${(performance.now() - started).toFixed(0)} ms)`,
    );
    assert.ok(await reach());
    await untilCounted("n1", undefined);
    await untilCounted("n2", 1);
  });

  test("moves without leaving: the port at the former node stays, and its bridge learns by the route where the machine is", async () => {
    const claims = async (node: Node) => (await routesOf(machine.mac)).filter((route) => route.startsWith(nodes[node]));
    await plug("n1", "clone", clone);
    await waitFor("the copy to take the MAC to n1", async () => {
      await speak("clone");
      return (await claims("n1")).length > 0 && (await claims("n2")).length === 0;
    });
    // What is left behind by a live migration says nothing any more, and its port is up still.
    await net.nft(
      "clone",
      "table netdev mute { chain out { type filter hook egress device eth0 priority 0; drop; }; }",
    );
    await waitFor("the machine to take it back to n2", async () => {
      await speak();
      return (await claims("n2")).length > 0 && (await claims("n1")).length === 0;
    });
    await waitFor("the bridge of n1 to send its frames into the segment", async () => {
      const { stdout } = await net.exec("n1", ["bridge", "fdb", "show", "br", "br228"]);
      const entries = stdout
        .split("\n")
        .filter((line) => line.startsWith(machine.mac) && line.includes("master br228"));
      return entries.length === 1 && entries[0]?.includes("dev vxlan228") === true;
    });
    assert.ok(await reach());
  });

  test("two machines with one MAC: the numbers stop, the condition names the MAC, and the one that stays is announced", async () => {
    await net.nft("clone", "delete table netdev mute");
    for (let round = 0; round < 10; round += 1) {
      for (const place of ["machine", "clone"]) await speak(place);
    }
    const numbers = (await routesOf(machine.mac)).map((route) => Number(route.split(" ")[2]));
    // Four times at each node (RFC 7432 section 15.1), and what the machine had before.
    assert.ok(Math.max(...numbers) <= 10, `the numbers went up to ${numbers.join()}`);
    await waitFor("the condition at either node", async () => {
      const statuses = await Promise.all([...agents.values()].map((agent) => agent.status()));
      return statuses
        .flatMap((status) => status?.networks[0]?.conditions ?? [])
        .some(({ type, message }) => type === "DuplicateMacDetected" && message.includes(machine.mac));
    });
    await unplug("n1", "clone");
    // A leaf that still holds the higher number of the other one follows when ours rises, at most three minutes later.
    await waitFor("only the node of the other machine to announce it", async () => {
      const routes = await routesOf(machine.mac);
      return routes.length > 0 && routes.every((route) => route.startsWith(nodes.n2));
    });
  });

  test("goes with its port, at once", async () => {
    await unplug("n2");
    await untilRoutes("no routes", []);
  });
});
