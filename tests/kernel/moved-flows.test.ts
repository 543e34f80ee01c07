import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { waitFor } from "../../lab/processes/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { CALLER, POD, startPublicSegment, VIP } from "./public-segment.js";

const file = `
podNetworks: [10.244.0.0/16]
networks:
  - type: vxlan
    vxlan: { vni: 228, nodeNet: 10.0.7.0/24, remotes: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`;

/** As kube-proxy leads a Service's port to its backend. */
const service = (backend: string) => `
table ip service
delete table ip service
table ip service {
  chain pre { type nat hook prerouting priority dstnat; ip daddr ${VIP} udp dport 53 dnat to ${backend}:53; }
}`;

describe("a UDP flow to an address that moves away and comes back", () => {
  let net: TestNamespaces;
  let agent: AgentProcess;
  /**
   * Who answers. The same flow each time: a client that keeps its port, as resolvers and tunnels do. A busy machine may lose
   * a datagram, or answer when nobody waits any more.
   */
  const ask = async (): Promise<string> => {
    const client = ["socat", "-t", "3", "-", `udp4:${VIP}:53,sourceport=40053,reuseaddr`];
    let answer = "";
    await waitFor(
      "an answer",
      async () => {
        answer = (await net.exec("client", client, { input: "who\n", check: false })).stdout.trim();
        return answer !== "";
      },
      { timeout: 30_000 },
    );
    return answer;
  };
  const flows = async (): Promise<string> =>
    (await net.exec("n1", ["conntrack", "-L", "-p", "udp", "--orig-dst", VIP])).stdout;
  const holds = (held: boolean) =>
    agent.until("the address to move", (networks) => networks.get("vxlan228")?.addresses.includes(VIP) === held);

  before(async () => {
    net = await startPublicSegment();
    for (const place of ["pod", "caller"]) {
      const server = `socat udp4-recvfrom:53,fork system:'echo ${place}' >/dev/null 2>&1 &`;
      await net.exec(place, ["sh", "-c", `${server} sleep 0.3`]);
    }
    agent = await AgentProcess.create(inNamespaces(net), "n1", "--config", file);
    agent.start();
    await net.ip("n1", `address add ${VIP}/32 dev lo`);
    await holds(true);
  });
  after(async () => {
    await agent?.end();
    await net?.end();
  });

  it("is led to the backend of then, not to that of before", async () => {
    await net.nft("n1", service(POD));
    assert.equal(await ask(), "pod");
    assert.match(await flows(), /sport=40053/);
    await net.nft("n1", service(CALLER));
    assert.equal(await ask(), "pod", "the kernel is expected to pin the flow");
    await net.ip("n1", `address delete ${VIP}/32 dev lo`);
    await holds(false);
    await waitFor("the flow to be forgotten", async () => !(await flows()).includes("sport=40053"), { timeout: 5_000 });
    await net.ip("n1", `address add ${VIP}/32 dev lo`);
    await holds(true);
    assert.equal(await ask(), "caller");
  });
});
