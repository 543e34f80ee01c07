import assert from "node:assert/strict";
import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { KernelEvents } from "./kernel-events.js";
import { startPublicSegment } from "./public-segment.js";

/** Seconds that a gateway has to answer, and in which going back must help: a busy machine needs some of them. */
const patience = ["--confirm-timeout", "4"];

const file = (vni: number, gateway: string) => `
podNetworks: [10.244.0.0/16]
networks:
  - name: edge
    type: vxlan
    vxlan: { vni: ${vni}, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: ${gateway} }
`;
const good = file(228, "203.0.113.1");
const dualStack = (gateway: string) => `
podNetworks: [10.244.0.0/16]
networks:
  - name: edge
    type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
      - { cidr: "2001:db8:228::/64", gateway: "${gateway}" }
`;

/** The interface learns where frames of others come from; what an agent sets is `permanent` or `static`. */
const learnt = /^\S+ dev vxlan228 dst \S+ self$/;

const condition = (networks: ReadonlyMap<string, NetworkStatus>, type: string) =>
  networks.get("edge")?.conditions.find((candidate) => candidate.type === type);
const applied = (networks: ReadonlyMap<string, NetworkStatus>) => condition(networks, "Applied");

describe("a change that cuts a network off from its gateway", () => {
  let node: TestNamespaces;
  let agent: AgentProcess;
  const routes = async (table: number): Promise<string> =>
    (await node.exec("n1", ["ip", "route", "show", "table", `${table}`], { check: false })).stdout;
  const carriesGood = async (): Promise<void> =>
    assert.equal(
      await routes(228),
      "default via 203.0.113.1 dev vxlan228 proto 118 \n203.0.113.0/24 dev vxlan228 proto 118 scope link \n",
    );
  const message = async (): Promise<string> =>
    applied(new Map((await agent.status())?.networks.map((network) => [network.name, network])))?.message ?? "";

  beforeEach(async () => {
    node = await startPublicSegment();
    agent = await AgentProcess.create(inNamespaces(node), "n1", "--config", good);
    agent.start(...patience);
    await agent.until("the network is confirmed", (networks) => applied(networks)?.status === "True");
  });
  afterEach(async () => {
    await agent?.end();
    await node?.end();
  });

  for (const [change, yaml, failed] of [
    ["another VNI, in which no gateway is", file(229, "203.0.113.1"), "IPv4 gateway of edge"],
    ["another gateway, which nobody is", file(228, "203.0.113.99"), "IPv4 gateway of edge"],
    ["a VNI that another program uses", file(240, "203.0.113.1"), "network edge, IPv4 gateway of edge"],
  ] as const) {
    it(`is taken back: ${change}`, async () => {
      await node.ip("n1", "link add foreign type vxlan id 240 dstport 4789 local 10.0.7.5");
      await agent.configure(yaml);
      await agent.until("the node is back", (networks) => applied(networks)?.reason === "ChangeReverted");
      assert.match(
        await message(),
        new RegExp(
          `was taken back: with it failed what was well before and is well again: ${failed}; revision \\S+ is back`,
        ),
      );
      await carriesGood();
    });
  }

  it("is taken back: another IPv6 gateway, which nobody is", async () => {
    await node.ip("gateway", "address add 2001:db8:228::1/64 dev public nodad");
    const revision = (networks: ReadonlyMap<string, NetworkStatus>) => networks.get("edge")?.revision;
    const before = (await agent.status())?.networks[0]?.revision;
    await agent.configure(dualStack("2001:db8:228::1"));
    await agent.until(
      "both subnets are confirmed",
      (networks) => applied(networks)?.status === "True" && revision(networks) !== before,
    );
    await agent.configure(dualStack("2001:db8:228::99"));
    await agent.until("the node is back", (networks) => applied(networks)?.reason === "ChangeReverted");
    assert.match(await message(), /what was well before and is well again: IPv6 gateway of edge; revision \S+ is back/);
    assert.match(
      (await node.exec("n1", ["ip", "-6", "route", "show", "table", "228"])).stdout,
      /^default via 2001:db8:228::1 dev vxlan228/m,
    );
  });

  it("is not tried again by an agent that starts, but another change is", async () => {
    await agent.configure(file(229, "203.0.113.1"));
    await agent.until("the node is back", (networks) => applied(networks)?.reason === "ChangeReverted");
    const before = await message();
    await agent.stop("SIGTERM");
    const events = await KernelEvents.start(node, "n1");
    agent.start(...patience);
    await agent.until("it says so again", (networks) => applied(networks)?.reason === "ChangeReverted");
    assert.equal(await message(), before);
    assert.deepEqual(
      (await events.take()).filter((event) => !learnt.test(event)),
      [],
    );
    await events.end();
    await carriesGood();
    await agent.configure(file(228, "203.0.113.66"));
    await agent.until("another change stands", (networks) => applied(networks)?.status === "True");
    assert.match(await routes(228), /default via 203\.0\.113\.66 dev vxlan228/);
  });

  it("is told where the node cannot keep what it carries, and the network works", async () => {
    const obstacle = join(agent.stateDirectory(), "last-good.json.new");
    await mkdir(obstacle);
    await agent.configure(file(228, "203.0.113.66"));
    const told = (networks: ReadonlyMap<string, NetworkStatus>) => condition(networks, "StateNotKept");
    await agent.until(
      "it is told, and applied",
      (networks) =>
        applied(networks)?.status === "True" &&
        /last-good\.json cannot be written: EISDIR.*; make room/.test(told(networks)?.message ?? ""),
    );
    await rmdir(obstacle);
    await agent.until("it is kept", (networks) => told(networks) === undefined);
  });
});
