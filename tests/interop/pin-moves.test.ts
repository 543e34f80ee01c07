import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/index.js";
import { ENTRY_WAITING_PARENTS } from "../../lab/isolation/index.js";
import { signalEntered } from "../../lab/processes/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { addLeafSegment, FrrRouter } from "./frr-router.js";

/** A pinned address is moved between two agents that run, and the gateway behind a leaf of FRR is the client that sees it. */

const pinned = "203.0.113.10";
const vteps = { n1: "10.0.7.11", n2: "10.0.7.12" } as const;
type Node = keyof typeof vteps;
/** Milliseconds between the client's packets. */
const beat = 5;

const file = (node: Node | undefined) => `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19] } }
    routing:
      cidr: 203.0.113.0/24
      gateway: 203.0.113.1
      arpAnnouncer: true
${node === undefined ? "" : `      staticAddresses: [{ address: ${pinned}, node: ${node} }]\n`}`;

const configuration = `router bgp 65001
 bgp router-id 10.0.7.19
 no bgp default ipv4-unicast
${Object.values(vteps)
  .map((address) => ` neighbor ${address} remote-as 65001\n`)
  .join("")} address-family l2vpn evpn
${Object.values(vteps)
  .map((address) => `  neighbor ${address} activate\n  neighbor ${address} route-reflector-client\n`)
  .join("")}  advertise-all-vni
 exit-address-family
`;

let net: TestNamespaces;
let frr: FrrRouter;
const agents = new Map<Node, AgentProcess>();

before(async () => {
  net = await startFabric({ n1: 11, n2: 12, leaf: 19 });
  await net.exec("admin", ["ip", "netns", "add", "gateway"]);
  await net.ip("gateway", "link set lo up");
  await addLeafSegment(net, "leaf", 228, "10.0.7.19");
  await net.connect("leaf", "togateway", "gateway", "eth0");
  await net.ip("leaf", "link set togateway master br228");
  await net.ip("gateway", "address add 203.0.113.1/24 dev eth0");
  frr = await FrrRouter.start(net, "leaf", configuration);
  for (const node of ["n1", "n2"] as const) {
    const agent = await AgentProcess.create(inNamespaces(net), node, "--config", file("n1"));
    agents.set(node, agent);
    agent.start();
    await agent.until(
      "the session",
      (networks) => networks.get("vxlan228")?.sessions.every(({ state }) => state === "Established") ?? false,
      40_000,
    );
  }
  await untilOwner("n1");
});
after(async () => {
  for (const agent of agents.values()) await agent.end();
  await net?.end();
});

const owners = async (): Promise<readonly string[]> =>
  (await frr.routes()).filter(({ routeType, ip }) => routeType === 2 && ip === pinned).map(({ nextHop }) => nextHop);
const untilOwner = (...nodes: readonly Node[]) =>
  waitFor(
    `the route of ${nodes.join(" and ") || "nobody"}`,
    async () => (await owners()).toSorted().join() === nodes.map((node) => vteps[node]).join(),
  );
const pinTo = async (node: Node | undefined, at: Node): Promise<void> => agents.get(at)?.configure(file(node));

/** A client that sends without waiting for answers. */
class Client {
  private output = "";
  private constructor(private readonly ping: ChildProcess) {
    ping.stdout?.on("data", (chunk) => {
      this.output += String(chunk);
    });
  }

  static start(): Client {
    const argv = ["ping", "-D", "-i", String(beat / 1000), "-W", "1", pinned];
    return new Client(net.spawn("gateway", argv, { stdio: ["ignore", "pipe", "inherit"] }));
  }

  /** Milliseconds: the longest time between two answers, until `moved` and after it. */
  async end(moved: number): Promise<{ readonly atRest: number; readonly hole: number; readonly answers: number }> {
    const gone = once(this.ping, "exit");
    const ended = Date.now();
    await signalEntered(this.ping, ENTRY_WAITING_PARENTS, "SIGINT");
    await gone;
    const times = [...this.output.matchAll(/^\[(\d+\.\d+)\] \d+ bytes/gm)].map(([, time]) => Number(time) * 1000);
    // Also from the last answer to the end.
    const holes = [...times.slice(1), ended].map((time, index) => ({ time, length: time - (times[index] ?? time) }));
    const longest = (some: typeof holes) => Math.max(...some.map(({ length }) => length));
    return {
      atRest: longest(holes.filter(({ time }) => time < moved)),
      hole: longest(holes.filter(({ time }) => time >= moved)),
      answers: times.length,
    };
  }
}

describe("a pinned address moves between two nodes that run", () => {
  for (const [from, to] of [
    ["n1", "n2"],
    ["n2", "n1"],
  ] as const) {
    test(`from ${from} to ${to}, where ${to} is told first: both have it for a moment, and nothing is lost for long`, async () => {
      const client = Client.start();
      await sleep(1_500);
      const moved = Date.now();
      await pinTo(to, to);
      await waitFor(`the route of ${to}`, async () => (await owners()).includes(vteps[to]));
      // Linux takes no second announcement within a second (neigh locktime): the next step of the burst is the one that counts.
      await sleep(1_300);
      await pinTo(to, from);
      await untilOwner(to);
      await sleep(500);
      const { atRest, hole, answers } = await client.end(moved);
      console.log(
        `new owner first, ${from} to ${to}: longest hole ${hole.toFixed(0)} ms (${atRest.toFixed(0)} ms before) in ${answers} answers, one each ${beat} ms`,
      );
      assert.ok(answers > 300, `${answers} answers`);
      const { stdout } = await net.exec(from, ["ip", "-br", "address", "show", "dev", "vxlan228"]);
      assert.ok(!stdout.includes(pinned), stdout);
    });
  }

  test("in two updates, as the documentation has it: taken out first, then pinned again; the hole lies between them", async () => {
    const client = Client.start();
    await sleep(300);
    const moved = Date.now();
    for (const at of ["n1", "n2"] as const) await pinTo(undefined, at);
    await untilOwner();
    const taken = performance.now();
    for (const at of ["n1", "n2"] as const) await pinTo("n2", at);
    await untilOwner("n2");
    const between = performance.now() - taken;
    await sleep(1_500);
    const { hole, answers } = await client.end(moved);
    console.log(
      `taken out first: longest hole ${hole.toFixed(0)} ms in ${answers} answers; ${between.toFixed(0)} ms without a route`,
    );
    assert.equal((await net.exec("gateway", ["ping", "-c", "1", "-W", "1", pinned])).code, 0);
  });
});
