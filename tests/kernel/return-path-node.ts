import assert from "node:assert/strict";
import type { Family, NodePlan, PlanCondition } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration } from "./base-node.js";
import { echo, serveEcho } from "./echo-service.js";
import { NODE, startPublicSegment, VTEPS } from "./public-segment.js";
import { RemoteReconciler } from "./remote-reconciler.js";
import { addIpv6, type PathAddresses, pathAddresses } from "./return-path-addresses.js";
import { HOST_PORT, proxyAddress, type ServiceProxy, serviceProxies } from "./service-proxies.js";

/** Who calls a public address. */
export type Client = "outside" | "public segment" | "other public network" | "pod" | "node itself" | "another node";

export const clients: readonly Client[] = [
  "outside",
  "public segment",
  "other public network",
  "pod",
  "node itself",
  "another node",
];

const OTHER_HOST_VTEP = "10.0.7.21";

const clientPlace: Readonly<Record<Client, { readonly place: string; readonly address: keyof PathAddresses }>> = {
  outside: { place: "client", address: "client" },
  "public segment": { place: "host", address: "host" },
  "other public network": { place: "other-host", address: "otherHost" },
  pod: { place: "caller", address: "caller" },
  "node itself": { place: "n1", address: "node" },
  "another node": { place: "n2", address: "otherNode" },
};

/** What of a node the return path depends on. */
export interface NodeSetting {
  /** net.ipv4.conf.all.rp_filter of the node; 0 without it. */
  readonly all?: 0 | 1 | 2;
  /** The value that every interface of the node starts with, ours included; 0 without it. */
  readonly interfaces?: 0 | 1 | 2;
  /** Of both networks; `auto` without it. */
  readonly returnPath?: "auto" | "source";
  /** Further ones of the node, as sysctl(8) writes them. */
  readonly sysctls?: readonly string[];
}

/** What stays as it is. */
export interface NodeShape {
  /** Of the public networks; 4 without it. */
  readonly family?: Family;
  /** MTU of every underlay interface; 1600 without it, enough for a segment of 1500. */
  readonly underlayMtu?: number;
}

/** What came of one call. */
export interface Outcome {
  /** The server that answered in full. */
  readonly answer: string | undefined;
  /** Reply packets that left the node by our interface. */
  readonly byNetwork: number;
  /** Reply packets that reached the node's default gateway. */
  readonly byDefaultGateway: number;
}

/** By service and client. */
export type Outcomes = ReadonlyMap<ServiceProxy, ReadonlyMap<Client, Outcome>>;

/** Replies by public address and client, where they have their public source back. */
const seenReplies = (family: Family): string => {
  const type = family === 4 ? "ipv4_addr" : "ipv6_addr";
  return `set seen { type ${type} . ${type}; flags dynamic; counter; }`;
};

const repliesByNetwork = (family: Family): string => {
  const ip = family === 4 ? "ip" : "ip6";
  return `
table inet replies {
  ${seenReplies(family)}
  chain postrouting { type filter hook postrouting priority 300;
    oifname "vxlan228" ${ip} saddr ${pathAddresses[family].publicPrefix} update @seen { ${ip} saddr . ${ip} daddr }
  }
}
`;
};

/** A provider's gateway takes no packet with a source that is not behind it (BCP 38); what the node sends it is counted. */
const defaultGateway = (family: Family): string => {
  const ip = family === 4 ? "ip" : "ip6";
  const { publicPrefix, otherPrefix } = pathAddresses[family];
  return `
table inet replies {
  ${seenReplies(family)}
  chain prerouting { type filter hook prerouting priority -300;
    ${ip} saddr { ${publicPrefix}, ${otherPrefix} } update @seen { ${ip} saddr . ${ip} daddr } drop
  }
}
`;
};

/** The nodes' IPv6 network is no nodeNet, for the tunnels are of IPv4. */
const insideNetworks = { 4: "10.244.0.0/16, 10.96.0.0/16", 6: '"fd00:10:244::/56", "fd00:10:7::/64"' } as const;
const gateways = { 4: ["203.0.113.1", "198.51.100.1"], 6: ["2001:db8:228::1", "2001:db8:229::1"] } as const;

function yaml(family: Family, returnPath: "auto" | "source"): string {
  const { publicPrefix, otherPrefix } = pathAddresses[family];
  const network = (vni: number, cidr: string, gateway: string) => `
  - type: vxlan
    vxlan:
      vni: ${vni}
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: "${cidr}", gateway: "${gateway}", returnPath: ${returnPath} }`;
  return `
podNetworks: [${insideNetworks[family]}]
networks:${network(228, publicPrefix, gateways[family][0])}${network(229, otherPrefix, gateways[family][1])}
`;
}

/**
 * A node that carries two public networks by the product's own plan: one in which the services are, and another one with a
 * host. Its default gateway knows the way to both for the nodes behind it.
 */
export class ReturnPathNode {
  readonly net: TestNamespaces;
  readonly family: Family;
  private readonly reconciler: RemoteReconciler;
  private planned: NodePlan | undefined;

  private constructor(net: TestNamespaces, family: Family) {
    this.net = net;
    this.family = family;
    this.reconciler = RemoteReconciler.start(net, "n1");
  }

  static async start(setting: NodeSetting, shape: NodeShape = {}): Promise<ReturnPathNode> {
    const net = await startPublicSegment(["other-host"]);
    try {
      return await ReturnPathNode.startIn(net, setting, shape);
    } catch (error) {
      // The reconciler's process would keep the test from ending.
      await net.end();
      throw error;
    }
  }

  private static async startIn(
    net: TestNamespaces,
    setting: NodeSetting,
    { family = 4, underlayMtu }: NodeShape,
  ): Promise<ReturnPathNode> {
    await startOtherNetwork(net);
    if (family === 6) await addIpv6(net);
    if (underlayMtu !== undefined) {
      for (const place of ["n1", "n2", "gateway", "host", "door", "other-host"]) {
        await net.ip(place, `link set eth0 mtu ${underlayMtu}`);
        await net.ip("underlay", `link set ${place} mtu ${underlayMtu}`);
      }
    }
    const node = new ReturnPathNode(net, family);
    await node.change(setting);
    await node.reconciler.applyForwarding("vxlan228", { flood: VTEPS, hosts: [], neighbours: [] });
    const others = ["10.0.7.19", OTHER_HOST_VTEP];
    await node.reconciler.applyForwarding("vxlan229", { flood: others, hosts: [], neighbours: [] });

    await net.nft("n1", repliesByNetwork(family));
    await net.nft("door", defaultGateway(family));
    // The addresses are on no interface; MetalLB would answer for them.
    const mac = (await net.exec("n1", ["cat", "/sys/class/net/vxlan228/address"])).stdout.trim();
    const neighbours = serviceProxies.map(
      (proxy) => `neigh replace ${proxyAddress(proxy, family)} lladdr ${mac} dev public nud permanent`,
    );
    for (const place of ["gateway", "host"]) await net.ip(place, ...neighbours);

    const { pod, remotePod, node: nodeAddress, otherNode } = pathAddresses[family];
    await Promise.all([
      serveEcho(net, "pod", pod, 80),
      serveEcho(net, "remote-pod", remotePod, 80),
      serveEcho(net, "n1", nodeAddress, HOST_PORT),
      serveEcho(net, "n2", otherNode, HOST_PORT),
    ]);
    return node;
  }

  get plan(): NodePlan {
    assert.ok(this.planned);
    return this.planned;
  }

  /** Sets the node's sysctls, then lets it plan and reconcile, as the agent does when it comes or finds them changed. */
  async change({ all = 0, interfaces = 0, returnPath = "auto", sysctls = [] }: NodeSetting): Promise<void> {
    await this.net.sysctl(
      "n1",
      `net.ipv4.conf.all.rp_filter=${all}`,
      ...["default", "eth0", "pod", "caller"].map((name) => `net.ipv4.conf.${name}.rp_filter=${interfaces}`),
      ...sysctls,
    );
    this.planned = await this.reconciler.plan(configuration(yaml(this.family, returnPath)));
    const { node, networks } = await this.reconciler.reconcile(this.planned);
    assert.deepEqual([node.errors, networks.flatMap(({ errors }) => errors), this.plan.unplanned], [[], [], []]);
  }

  /** What the agent finds in the way of the services' network. */
  async conflicts(): Promise<readonly PlanCondition[]> {
    const { networks } = await this.reconciler.reconcile(this.plan);
    return networks.find(({ network }) => network === "vxlan228")?.conflicts ?? [];
  }

  /** Puts the address of a local service on an interface of the node, and its server on the address. */
  async addAddress(proxy: ServiceProxy, device: string): Promise<void> {
    const address = proxyAddress(proxy, this.family);
    const length = this.family === 4 ? 32 : 128;
    await this.net.ip("n1", `address add ${address}/${length} dev ${device}`);
    await serveEcho(this.net, "n1", address, 80);
  }

  /** Each client calls each service, all at the same time; where an answer should come and does not, once more: a machine may be busy. */
  async callAll(
    proxies: readonly ServiceProxy[],
    shouldAnswer: (proxy: ServiceProxy, client: Client) => boolean,
  ): Promise<Outcomes> {
    await this.forgetReplies();
    const first = await this.outcomes(proxies, (proxy, client) => this.call(proxy, client));
    const isMissing = (proxy: ServiceProxy, client: Client): boolean =>
      shouldAnswer(proxy, client) && first.get(proxy)?.get(client)?.answer === undefined;
    if (!proxies.some((proxy) => clients.some((client) => isMissing(proxy, client)))) return first;
    return this.outcomes(proxies, async (proxy, client) =>
      isMissing(proxy, client) ? this.call(proxy, client) : first.get(proxy)?.get(client)?.answer,
    );
  }

  private call(proxy: ServiceProxy, client: Client): Promise<string | undefined> {
    return echo(this.net, clientPlace[client].place, proxyAddress(proxy, this.family));
  }

  /** Answers to all clients at the same time, and where replies left since they were forgotten. */
  private async outcomes(
    proxies: readonly ServiceProxy[],
    answerOf: (proxy: ServiceProxy, client: Client) => Promise<string | undefined>,
  ): Promise<Outcomes> {
    const answers = await Promise.all(
      proxies.map((proxy) => Promise.all(clients.map((client) => answerOf(proxy, client)))),
    );
    const byNetwork = await this.replies("n1");
    const byDefaultGateway = await this.replies("door");
    return new Map(
      proxies.map((proxy, row) => [
        proxy,
        new Map(
          clients.map((client, column) => {
            const clientAddress = pathAddresses[this.family][clientPlace[client].address];
            const key = `${proxyAddress(proxy, this.family)} ${clientAddress}`;
            const outcome: Outcome = {
              answer: answers[row]?.[column],
              byNetwork: byNetwork.get(key) ?? 0,
              byDefaultGateway: byDefaultGateway.get(key) ?? 0,
            };
            return [client, outcome];
          }),
        ),
      ]),
    );
  }

  /** Packets that the node dropped because their source has another way back (`TcpExtIPReversePathFilter`). */
  async reversePathDrops(): Promise<number> {
    const { stdout } = await this.net.exec("n1", ["nstat", "-asz", "TcpExtIPReversePathFilter"]);
    return Number(/^TcpExtIPReversePathFilter\s+(\d+)/m.exec(stdout)?.[1]);
  }

  async end(): Promise<void> {
    await this.reconciler.end();
    await this.net.end();
  }

  private async forgetReplies(): Promise<void> {
    for (const place of ["n1", "door"]) await this.net.exec(place, ["nft", "flush", "set", "inet", "replies", "seen"]);
  }

  /** Packets by public address and client. */
  private async replies(place: string): Promise<ReadonlyMap<string, number>> {
    const { nftables } = (await this.net.json(place, "nft -j list set inet replies seen")) as {
      readonly nftables: readonly { readonly set?: { readonly elem?: readonly CountedPair[] } }[];
    };
    const pairs = nftables.flatMap(({ set }) => set?.elem ?? []);
    return new Map(pairs.map(({ elem }) => [elem.val.concat.join(" "), elem.counter.packets]));
  }
}

/** In the words of libnftables-json(5). */
interface CountedPair {
  readonly elem: {
    readonly val: { readonly concat: readonly [publicAddress: string, client: string] };
    readonly counter: { readonly packets: number };
  };
}

/** VNI 229: its gateway is the provider's as well, and behind the node's default gateway both networks can be reached. */
async function startOtherNetwork(net: TestNamespaces): Promise<void> {
  await net.ip(
    "underlay",
    "link add other-host type veth peer name eth0 netns other-host",
    "link set other-host mtu 1600 master br0 up",
  );
  await net.ip("other-host", "link set eth0 mtu 1600 up", `address add ${OTHER_HOST_VTEP}/24 dev eth0`);
  for (const [place, vtep, address] of [
    ["gateway", "10.0.7.19", "198.51.100.1"],
    ["other-host", OTHER_HOST_VTEP, pathAddresses[4].otherHost],
  ] as const) {
    await net.ip(
      place,
      `link add other type vxlan id 229 dstport 4789 local ${vtep}`,
      "link set other mtu 1500 up",
      `address add ${address}/24 dev other`,
    );
    const vteps = [NODE, "10.0.7.19", OTHER_HOST_VTEP];
    await net.bridge(place, ...vteps.map((vtep) => `fdb append 00:00:00:00:00:00 dev other dst ${vtep}`));
  }
  await net.ip("other-host", "route add default via 198.51.100.1");
  await net.sysctl("door", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.send_redirects=0");
  await net.ip("door", "route add 203.0.113.0/24 via 10.0.7.19", "route add 198.51.100.0/24 via 10.0.7.19");
}
