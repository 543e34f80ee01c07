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
    routing:
      - { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
      - { cidr: "2001:db8:228::/64", gateway: "2001:db8:228::1", arpAnnouncer: true }
`;
const addresses = ["2001:db8:228::20", "203.0.113.20"];

/** Each a Neighbor Solicitation with the address as its source: the gateway's entry is made anew each time. */
const askEachSecond =
  "for _ in $(seq 18); do ip -6 neigh flush dev public; ping -q -c 1 -W 1 -I 2001:db8:228::20 2001:db8:228::1 || sleep 0.1; done";

describe("another host that answers for an address of the node", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;

  before(async () => {
    net = await startPublicSegment();
    await net.ip("n1", ...addresses.map((address) => `address add ${address} dev lo`));
    await net.ip("host", "address add 2001:db8:228::66/64 dev public");
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
    agent.start();
    await agent.until("the addresses are owned", (networks) => networks.get("vxlan228")?.addresses.length === 2);
  });
  after(async () => {
    await agent?.end();
    await net?.end();
  });

  it("is told with its MAC once it goes on for longer than a move, and takes nothing", async () => {
    const [host] = (await net.json("host", "ip -j link show dev public")) as readonly [{ readonly address: string }];
    const conflict = async () =>
      (await agent.status())?.networks[0]?.conditions.find(({ type }) => type === "AddressConflict")?.message ?? "";
    await net.ip("host", ...addresses.map((address) => `address add ${address} dev public`));
    const speaking = Promise.all([
      net.exec("host", ["arping", "-q", "-U", "-c", "18", "-I", "public", "203.0.113.20"], { timeout: 30_000 }),
      net.exec("host", ["sh", "-c", askEachSecond], { timeout: 30_000 }),
    ]);
    await sleep(6_000);
    assert.equal(await conflict(), "");
    await speaking;
    await agent.until("the condition of both families", (networks) =>
      (networks.get("vxlan228")?.conditions ?? []).some(
        ({ type, message }) => type === "AddressConflict" && addresses.every((address) => message.includes(address)),
      ),
    );
    const [ipv6, ipv4] = addresses.map((address) => `${address} by ${host.address} on vxlan228`);
    const told = (await conflict()).split(": another host")[0]?.split(", ").toSorted();
    assert.deepEqual(told, [ipv6, ipv4]);
    assert.deepEqual((await agent.status())?.networks[0]?.addresses.toSorted(), addresses);
  });
});
