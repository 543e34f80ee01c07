import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { address4, startFabric } from "./bgp-fabric.js";
import { GobgpDaemon, type RouteWords } from "./gobgp-daemon.js";
import { KernelEntries } from "./kernel-entries.js";

/**
 * Three networks of one node. 228 and 229 have the peer `both` in common, and with it one session, and another peer each; 230
 * belongs to another fabric, with an AS and a peer of its own.
 */
const hosts = { only228: 30, both: 31, only229: 32, other: 33 } as const;
type Peer = keyof typeof hosts;
const peers = Object.keys(hosts) as readonly Peer[];
const asnOf = (peer: Peer): number => (peer === "other" ? 65100 : 65001);

const network = (vni: number, asn: number, ...of: readonly Peer[]): string => `  - type: vxlan
    vxlan:
      vni: ${vni}
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: ${asn}, peerAsn: ${asn}, peers: [${of.map((peer) => address4(hosts[peer])).join(", ")}], holdTime: 9 }
    routing: { cidr: 198.51.${vni}.0/24, gateway: 198.51.${vni}.1 }
`;
const configuration = `podNetworks: []
networks:
${network(228, 65001, "only228", "both")}${network(229, 65001, "both", "only229")}${network(230, 65100, "other")}`;

let fabric: TestNamespaces;
let agent: AgentProcess;
let kernel: KernelEntries;
const daemons = {} as Record<Peer, GobgpDaemon>;

before(async () => {
  fabric = await startFabric({ n1: 20, ...hosts });
  await Promise.all(
    peers.map(async (peer) => {
      daemons[peer] = await GobgpDaemon.start(fabric, peer, "v4", {
        asn: asnOf(peer),
        routerId: address4(hosts[peer]),
        holdTime: 9,
        neighbours: [{ address: "10.0.7.20", asn: asnOf(peer) }],
      });
    }),
  );
  kernel = new KernelEntries(fabric, "n1");
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration);
  agent.start();
  await agent.until("all sessions are Established", (networks) => {
    const sessions = ["vxlan228", "vxlan229", "vxlan230"].map((name) => networks.get(name)?.sessions ?? []);
    return (
      sessions.map(({ length }) => length).join() === "2,2,1" &&
      sessions.flat().every(({ state }) => state === "Established")
    );
  });
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

/** A MAC behind the VTEP of a peer. One route distinguisher for all of them: as if their routes were the same. */
function host(mac: string, peer: Peer, vni: number, target: string): RouteWords {
  return [
    ...["macadv", mac, "0.0.0.0", "etag", "0", "label", String(vni), "rd", "192.0.2.1:1", "rt", target],
    ...["encap", "vxlan", "nexthop", address4(hosts[peer])],
  ];
}

/** Route distinguishers of ours that a peer holds. */
async function ourNetworksAt(peer: Peer): Promise<readonly string[]> {
  const ours = (await daemons[peer].rib()).map(({ rd }) => rd).filter((rd) => rd.startsWith("10.0.7.20:"));
  return [...new Set(ours)].sort();
}

describe("networks on common and on separate sessions", () => {
  test("each peer holds the networks that name it, the common one both over one connection", async () => {
    const wanted: Readonly<Record<Peer, readonly string[]>> = {
      only228: ["10.0.7.20:228"],
      both: ["10.0.7.20:228", "10.0.7.20:229"],
      only229: ["10.0.7.20:229"],
      other: ["10.0.7.20:230"],
    };
    for (const peer of peers) {
      await waitFor(`our routes at ${peer}`, async () => (await ourNetworksAt(peer)).join() === wanted[peer].join());
    }
    const { stdout } = await fabric.exec("n1", ["ss", "-Htn", "state", "established", "dport", "=", ":179"]);
    const remotes = [...stdout.matchAll(/(10\.0\.7\.3\d):179/g)].map(([, address]) => address);
    assert.deepEqual(remotes.sort(), ["10.0.7.30", "10.0.7.31", "10.0.7.32", "10.0.7.33"]);
  });

  test("a MAC in both networks of a session has its place in each", async () => {
    const mac = "02:00:00:00:99:01";
    await daemons.both.announce(host(mac, "both", 228, "65001:228"));
    await daemons.only229.announce(host(mac, "only229", 229, "65001:229"));
    await kernel.until("vxlan228", [{ mac, vtep: "10.0.7.31" }]);
    await kernel.until("vxlan229", [{ mac, vtep: "10.0.7.32" }]);
    await daemons.both.withdraw(host(mac, "both", 228, "65001:228"));
    await kernel.until("vxlan228", []);
    await kernel.until("vxlan229", [{ mac, vtep: "10.0.7.32" }]);
  });

  test("routes of equal name in two fabrics neither replace nor withdraw each other", async () => {
    const mac = "02:00:00:00:99:02";
    await daemons.only228.announce(host(mac, "only228", 228, "65001:228"));
    await daemons.other.announce(host(mac, "other", 230, "65100:230"));
    await kernel.until("vxlan228", [{ mac, vtep: "10.0.7.30" }]);
    await kernel.until("vxlan230", [{ mac, vtep: "10.0.7.33" }]);
    await daemons.other.withdraw(host(mac, "other", 230, "65100:230"));
    await kernel.until("vxlan230", []);
    await kernel.until("vxlan228", [{ mac, vtep: "10.0.7.30" }]);
  });

  test("what a peer sends with the route target of a network that does not name it is not taken", async () => {
    const stray = "02:00:00:00:99:03";
    const witness = "02:00:00:00:99:04";
    await daemons.other.announce(host(stray, "other", 228, "65001:228"), host(witness, "other", 230, "65100:230"));
    await daemons.only229.announce(
      host(stray, "only229", 228, "65001:228"),
      host(witness, "only229", 229, "65001:229"),
    );
    // Routes of a peer come in their order: with the second one here, the first one was here before.
    await kernel.until("vxlan230", [{ mac: witness, vtep: "10.0.7.33" }]);
    await waitFor("the witness in 229", async () =>
      (await kernel.of("vxlan229")).some(({ mac, vtep }) => mac === witness && vtep === "10.0.7.32"),
    );
    assert.ok(!(await kernel.of("vxlan228")).some(({ mac }) => mac === stray));
  });

  test("a network that leaves the session takes its routes along, the session stays for the other", async () => {
    const sessionOf229 = async () =>
      (await agent.status())?.networks
        .find(({ name }) => name === "vxlan229")
        ?.sessions.find(({ peer }) => peer === "10.0.7.31");
    const standing = await sessionOf229();
    await agent.configure(
      `podNetworks: []\nnetworks:\n${network(229, 65001, "both", "only229")}${network(230, 65100, "other")}`,
    );
    await waitFor("the end of 228", async () => (await ourNetworksAt("both")).join() === "10.0.7.20:229");
    await waitFor("no session to the peer of 228 alone", async () => (await ourNetworksAt("only228")).length === 0);
    assert.deepEqual(await sessionOf229(), standing);
  });
});
