import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../lab/processes/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startPublicSegment } from "./public-segment.js";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1 }
`;
const owned = "203.0.113.20";

/** Takes ARP only from addresses of its own subnet, and probes from none, as many routers do. */
const strictGateway = (senders: string) =>
  `table arp strict { chain in { type filter hook input priority 0; arp operation request arp saddr ip != ${senders} drop; }; }`;

describe("the gateway of a node without an address on the segment", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;
  const entry = async (): Promise<string> =>
    (await net.exec("n1", ["ip", "neigh", "show", "203.0.113.1", "dev", "vxlan228"])).stdout.trim();
  const reachable = () =>
    waitFor("the gateway to be reachable", async () => (await entry()).endsWith("REACHABLE"), { timeout: 5_000 });
  /** Whether an answer of the node to the client reaches the gateway: what the kernel does of itself, and with the entry. */
  const sends = async (): Promise<boolean> => {
    const ping = ["ping", "-c", "1", "-W", "2", "-I", owned, "203.0.113.1"];
    return (await net.exec("n1", ping, { check: false })).code === 0;
  };
  const start = async (): Promise<void> => {
    agent.start();
    await agent.until("the network is carried", (networks) => networks.get("vxlan228")?.interface.state === "up");
  };

  beforeEach(async () => {
    net = await startPublicSegment();
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
  });
  afterEach(async () => {
    await agent?.end();
    await net?.end();
  });

  it("is resolved with an owned address as sender where it ignores every other", async () => {
    await net.nft("gateway", strictGateway("203.0.113.0/24"));
    await start();
    // The kernel alone asks with the underlay's address and gives up.
    await net.exec("n1", ["ping", "-c", "1", "-W", "1", "-I", "vxlan228", "203.0.113.1"], { check: false });
    assert.doesNotMatch(await entry(), /lladdr/);
    await net.ip("n1", `address add ${owned}/32 dev lo`);
    await reachable();
    assert.ok(await sends());
  });

  it("is resolved by a probe while nothing is owned, and what somebody has set by hand stays", async () => {
    await start();
    await reachable();
    await net.ip("n1", "neigh replace 203.0.113.1 lladdr 02:00:00:00:00:01 dev vxlan228 nud permanent");
    await sleep(1_500);
    assert.match(await entry(), /lladdr 02:00:00:00:00:01 PERMANENT/);
  });

  it("is found again where the kernel has given up, and is left stale by an agent that ends", async () => {
    await net.nft("gateway", strictGateway("203.0.113.0/24"));
    await net.ip("n1", `address add ${owned}/32 dev lo`);
    await start();
    await reachable();
    const mac = /lladdr (\S+)/.exec(await entry())?.[1];
    await net.ip("n1", "neigh flush dev vxlan228");
    await waitFor("the entry to be back", async () => (await entry()).includes(`${mac} REACHABLE`), {
      timeout: 15_000,
    });
    await agent.stop();
    assert.match(await entry(), new RegExp(`lladdr ${mac} STALE`));
  });

  it("that does not answer is told after half a minute", async () => {
    await net.nft("gateway", strictGateway("192.0.2.0/24"));
    await start();
    await agent.until(
      "the condition",
      (networks) => networks.get("vxlan228")?.conditions.some(({ type }) => type === "GatewaySilent") ?? false,
      45_000,
    );
    await net.nft("gateway", "flush ruleset");
    await agent.until(
      "the condition to go",
      (networks) => networks.get("vxlan228")?.conditions.every(({ type }) => type !== "GatewaySilent") ?? false,
      20_000,
    );
  });
});
