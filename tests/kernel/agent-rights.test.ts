import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { NetworkStatus } from "../../model/index.js";
import { type AgentHost, AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startNode } from "./base-node.js";

/** What the DaemonSet gives the container (components/daemon-set.ts). */
const given = ["net_admin", "net_bind_service", "net_raw"] as const;

const yaml = `
podNetworks: [10.244.0.0/16]
networks:
  - name: first
    type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19], listen: true }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, arpAnnouncer: true }
`;

const applied = (networks: ReadonlyMap<string, NetworkStatus>): boolean =>
  networks.get("first")?.conditions.some(({ type, status }) => type === "Applied" && status === "True") === true;

describe("an agent of root with few capabilities", () => {
  let node: TestNamespaces;
  const agents: AgentProcess[] = [];

  before(async () => {
    node = await startNode();
  });
  after(async () => {
    for (const agent of agents) await agent.end();
    await node.end();
  });

  /** An agent that has these capabilities and no others (capabilities(7): what the bounding set lacks, no program gets). */
  async function agentWith(capabilities: readonly string[]): Promise<AgentProcess> {
    const inner = inNamespaces(node);
    const host: AgentHost = {
      exec: (place, argv, options) => inner.exec(place, argv, options),
      start: (place, argv) => {
        const set = ["-all", ...capabilities.map((name) => `+${name}`)].join(",");
        return inner.start(place, ["setpriv", "--inh-caps=-all", `--bounding-set=${set}`, ...argv]);
      },
    };
    const agent = await AgentProcess.create(host, "n1", "--config", yaml);
    agents.push(agent);
    agent.start();
    return agent;
  }

  for (const [lacked, words] of [
    [
      ["net_admin"],
      /^user 0 lacks CAP_NET_ADMIN \(interfaces, routes, rules, nft and sysctl\) here: .* add NET_ADMIN to /,
    ],
    [["net_raw"], /^user 0 lacks CAP_NET_RAW \(ARP and Neighbor Discovery\) here: .* add NET_RAW to /],
    [["net_admin", "net_raw"], /^user 0 lacks CAP_NET_ADMIN .* and CAP_NET_RAW .* add NET_ADMIN and NET_RAW to /],
  ] as const) {
    it(`does not begin without ${lacked.join(" and ")}, says so, and ends with 2`, async () => {
      const agent = await agentWith(given.filter((name) => !(lacked as readonly string[]).includes(name)));
      assert.equal(await agent.ended(), 2);
      assert.deepEqual(agent.log.length, 1);
      assert.match(agent.log[0]?.msg ?? "", words);
      assert.equal(await agent.status(), undefined);
      const { stdout } = await node.exec("n1", ["ip", "-o", "link", "show", "type", "vxlan"]);
      assert.equal(stdout, "");
    });
  }

  it("without net_bind_service carries the network, and says why peers cannot connect", async () => {
    const agent = await agentWith(["net_admin", "net_raw"]);
    await agent.until("the network to be applied", applied);
    await agent.until(
      "the reason",
      (networks) =>
        networks
          .get("first")
          ?.conditions.some(({ message }) => /EACCES.*CAP_NET_BIND_SERVICE: add NET_BIND_SERVICE/.test(message)) ===
        true,
    );
    await agent.stop();
  });

  it("with the three that the DaemonSet gives carries it and listens", async () => {
    const agent = await agentWith(given);
    await agent.until("the network to be applied", applied);
    const { stdout } = await node.exec("n1", ["ss", "-Hltn", "sport", "=", ":179"]);
    assert.match(stdout, /10\.0\.7\.5:179/);
    const [network] = (await agent.status())?.networks ?? [];
    assert.doesNotMatch(JSON.stringify(network?.conditions), /EPERM|EACCES|Operation not permitted|CAP_/);
    await agent.stop();
  });
});
