import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startPublicSegment } from "./public-segment.js";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`;
const address = "203.0.113.20";

describe("another host that answers for an address of the node", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;

  before(async () => {
    net = await startPublicSegment();
    await net.ip("n1", `address add ${address}/32 dev lo`);
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
    agent.start();
    await agent.until("the address is owned", (networks) => networks.get("vxlan228")?.addresses[0] === address);
  });
  after(async () => {
    await agent?.end();
    await net?.end();
  });

  it("is told with its MAC once it goes on for longer than a move, and takes nothing", async () => {
    const [host] = (await net.json("host", "ip -j link show dev public")) as readonly [{ readonly address: string }];
    const conflict = async () =>
      (await agent.status())?.networks[0]?.conditions.find(({ type }) => type === "AddressConflict")?.message;
    await net.ip("host", `address add ${address}/32 dev public`);
    const speaking = net.exec("host", ["arping", "-q", "-U", "-c", "18", "-I", "public", address], { timeout: 30_000 });
    await sleep(6_000);
    assert.equal(await conflict(), undefined);
    await speaking;
    await agent.until("the condition", (networks) =>
      (networks.get("vxlan228")?.conditions ?? []).some(({ type }) => type === "AddressConflict"),
    );
    assert.match((await conflict()) ?? "", new RegExp(`^${address} by ${host.address} on vxlan228: `));
    assert.deepEqual((await agent.status())?.networks[0]?.addresses, [address]);
  });
});
