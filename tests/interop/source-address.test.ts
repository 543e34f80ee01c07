import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { waitFor } from "../../lab/index.js";
import type { NetworkStatus } from "../../model/index.js";
import { AgentProcess, inNamespaces } from "../support/agent-process.js";
import type { TestNamespaces } from "../support/namespace.js";
import { startFabric } from "./bgp-fabric.js";
import { FrrRouter } from "./frr-router.js";

/**
 * FRR knows the node by three addresses: network 228 speaks from the VTEP address, 229 from a loopback address in a prefix, and
 * 230 over IPv6 from a single address, with tunnels over IPv4 in all of them.
 */
const configuration = `podNetworks: []
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.18], holdTime: 9 }
    routing: { cidr: 198.51.228.0/24, gateway: 198.51.228.1 }
  - type: vxlan
    vxlan:
      vni: 229
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.18], holdTime: 9, sourceAddress: 10.255.0.0/24 }
    routing: { cidr: 198.51.229.0/24, gateway: 198.51.229.1 }
  - type: vxlan
    vxlan:
      vni: 230
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: ["2001:db8:7::18"], holdTime: 9, sourceAddress: "2001:db8:ff::20" }
    routing: { cidr: 198.51.230.0/24, gateway: 198.51.230.1 }
`;

const sources = { vxlan228: "10.0.7.20", vxlan229: "10.255.0.20", vxlan230: "2001:db8:ff::20" } as const;
type Network = keyof typeof sources;

let fabric: TestNamespaces;
let router: FrrRouter;
let agent: AgentProcess;

before(async () => {
  fabric = await startFabric({ n1: 20, rr: 18 });
  await fabric.ip("n1", "address add 10.255.0.20/32 dev lo", "address add 2001:db8:ff::20/128 dev lo");
  await fabric.ip("rr", "route add 10.255.0.20 via 10.0.7.20", "route add 2001:db8:ff::20 via 2001:db8:7::20");
  const neighbours = Object.values(sources);
  router = await FrrRouter.start(
    fabric,
    "rr",
    ["router bgp 65001", " bgp router-id 10.0.7.18", " no bgp default ipv4-unicast"]
      .concat(neighbours.flatMap((address) => [` neighbor ${address} remote-as 65001`, ` neighbor ${address} passive`]))
      .concat(
        [" address-family l2vpn evpn"],
        neighbours.map((address) => `  neighbor ${address} activate`),
      )
      .concat([" exit-address-family", ""])
      .join("\n"),
  );
  agent = await AgentProcess.create(inNamespaces(fabric), "n1", "--config", configuration);
  agent.start();
});

after(async () => {
  await agent?.end();
  await fabric?.end();
});

async function statusOf(name: Network): Promise<NetworkStatus | undefined> {
  return (await agent.status())?.networks.find((network) => network.name === name);
}

const established = (...names: readonly Network[]) =>
  agent.until(`sessions of ${names.join(", ")}`, (networks) =>
    names.every((name) => {
      const sessions = networks.get(name)?.sessions ?? [];
      return sessions.length === 1 && sessions.every(({ state }) => state === "Established");
    }),
  );

/** Neighbours to which the router has a session, with the router id that they give. */
async function neighbours(): Promise<Readonly<Record<string, string>>> {
  const text = await router.vtysh("show bgp neighbors json");
  const all = JSON.parse(text) as Record<string, { bgpState: string; remoteRouterId: string }>;
  return Object.fromEntries(
    Object.entries(all).flatMap(([address, { bgpState, remoteRouterId }]) =>
      bgpState === "Established" ? [[address, remoteRouterId]] : [],
    ),
  );
}

test("each network has a session from its source, and all of them one router id", async () => {
  await established("vxlan228", "vxlan229", "vxlan230");
  assert.deepEqual(await neighbours(), {
    "10.0.7.20": "10.0.7.20",
    "10.255.0.20": "10.0.7.20",
    "2001:db8:ff::20": "10.0.7.20",
  });
});

test("routes come over the session of their network, with the VTEP address as next hop", async () => {
  const routes = await waitFor("a Type-3 of each network", async () => {
    const floods = (await router.routes()).filter(
      ({ routeType, rd }) => routeType === 3 && rd.startsWith("10.0.7.20:"),
    );
    return floods.length === 3 && floods;
  });
  assert.deepEqual(routes.map(({ rd, from, nextHop }) => [rd, from, nextHop]).sort(), [
    ["10.0.7.20:228", "10.0.7.20", "10.0.7.20"],
    ["10.0.7.20:229", "10.255.0.20", "10.0.7.20"],
    ["10.0.7.20:230", "2001:db8:ff::20", "10.0.7.20"],
  ]);
});

test("a source that goes is a condition of its network alone, and comes back with the address", async () => {
  const since = (await statusOf("vxlan228"))?.sessions[0]?.since;
  await fabric.ip("n1", "address del 10.255.0.20/32 dev lo");
  await agent.until("the condition", (networks) => {
    const network = networks.get("vxlan229");
    return network?.sessions.length === 0 && network.conditions.some(({ type }) => type === "NoBgpSourceAddress");
  });
  const { conditions = [], sessions = [] } = (await statusOf("vxlan229")) ?? {};
  assert.deepEqual(sessions, []);
  assert.equal(conditions.find(({ type }) => type === "SessionsEstablished")?.status, "False");
  assert.equal(
    conditions.find(({ type }) => type === "NoBgpSourceAddress")?.message,
    "the node has no address in 10.255.0.0/24 on an interface that is up, so that the network has no BGP sessions; give the node one, or correct vxlan.bgp.sourceAddress",
  );
  await fabric.ip("n1", "address add 10.255.0.20/32 dev lo");
  await established("vxlan228", "vxlan229", "vxlan230");
  assert.equal(
    (await statusOf("vxlan228"))?.sessions[0]?.since,
    since,
    "the other network's session stood all the while",
  );
});
