import assert from "node:assert/strict";
import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";
import { configuration } from "./base-node.js";
import { echo, serveEcho } from "./echo-service.js";
import { CALLER, CLIENT, HOST, NODE, POD, REMOTE_POD, startPublicSegment, VTEPS } from "./public-segment.js";
import { RemoteReconciler } from "./remote-reconciler.js";
import { HOST_PORT, proxyAddress, type ServiceProxy } from "./service-proxies.js";

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

const OTHER_HOST = "198.51.100.66";
const OTHER_HOST_VTEP = "10.0.7.21";
const OTHER_NODE = "10.0.7.12";

const clientPlace: Readonly<Record<Client, string>> = {
  outside: "client",
  "public segment": "host",
  "other public network": "other-host",
  pod: "caller",
  "node itself": "n1",
  "another node": "n2",
};

const clientAddress: Readonly<Record<Client, string>> = {
  outside: CLIENT,
  "public segment": HOST,
  "other public network": OTHER_HOST,
  pod: CALLER,
  "node itself": NODE,
  "another node": OTHER_NODE,
};

export interface ReversePathSetting {
  /** net.ipv4.conf.all.rp_filter of the node. */
  readonly all: 0 | 1 | 2;
  /** The value that every interface of the node starts with, ours included. */
  readonly interfaces: 0 | 1 | 2;
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

/** Counts replies by public address and client, where they have their public source back. */
const REPLIES_BY_NETWORK = `
table inet replies {
  set seen { type ipv4_addr . ipv4_addr; flags dynamic; counter; }
  chain postrouting { type filter hook postrouting priority 300;
    oifname "vxlan228" ip saddr 203.0.113.0/24 update @seen { ip saddr . ip daddr }
  }
}
`;

/** A provider's gateway takes no packet with a source that is not behind it (BCP 38); what the node sends it is counted. */
const DEFAULT_GATEWAY = `
table inet replies {
  set seen { type ipv4_addr . ipv4_addr; flags dynamic; counter; }
  chain prerouting { type filter hook prerouting priority -300;
    ip saddr { 203.0.113.0/24, 198.51.100.0/24 } update @seen { ip saddr . ip daddr } drop
  }
}
`;

const yaml = (returnPath: "auto" | "source") => `
podNetworks: [10.244.0.0/16, 10.96.0.0/16]
networks:
  - type: vxlan
    vxlan:
      vni: 228
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 203.0.113.0/24, gateway: 203.0.113.1, returnPath: ${returnPath} }
  - type: vxlan
    vxlan:
      vni: 229
      nodeNet: 10.0.7.0/24
      bgp: { myAsn: 65001, peerAsn: 65001, peers: [10.0.7.19, 10.0.7.20] }
    routing: { cidr: 198.51.100.0/24, gateway: 198.51.100.1, returnPath: ${returnPath} }
`;

/**
 * A node that carries two public networks by the product's own plan: 203.0.113.0/24, in which the services are, and
 * 198.51.100.0/24 with a host. Its default gateway knows the way to both for the nodes behind it.
 */
export class ReturnPathNode {
  readonly net: TestNamespaces;
  readonly plan: NodePlan;
  private readonly reconciler: RemoteReconciler;

  private constructor(net: TestNamespaces, plan: NodePlan, reconciler: RemoteReconciler) {
    this.net = net;
    this.plan = plan;
    this.reconciler = reconciler;
  }

  static async start(setting: ReversePathSetting, returnPath: "auto" | "source" = "auto"): Promise<ReturnPathNode> {
    const net = await startPublicSegment(["other-host"]);
    await startOtherNetwork(net);
    if (setting.underlayMtu !== undefined) {
      for (const place of ["n1", "n2", "gateway", "host", "door", "other-host"]) {
        await net.ip(place, `link set eth0 mtu ${setting.underlayMtu}`);
        await net.ip("underlay", `link set ${place} mtu ${setting.underlayMtu}`);
      }
    }
    // Before the agent comes: an interface starts with the value of `default`.
    await net.sysctl(
      "n1",
      `net.ipv4.conf.all.rp_filter=${setting.all}`,
      ...["default", "eth0", "pod", "caller"].map((name) => `net.ipv4.conf.${name}.rp_filter=${setting.interfaces}`),
    );
    const reconciler = RemoteReconciler.start(net, "n1");
    const plan = await reconciler.plan(configuration(yaml(returnPath)));
    const { node, networks } = await reconciler.reconcile(plan);
    assert.deepEqual([node.errors, networks.flatMap(({ errors }) => errors), plan.unplanned], [[], [], []]);
    await reconciler.applyForwarding("vxlan228", { flood: VTEPS, hosts: [], neighbours: [] });
    await reconciler.applyForwarding("vxlan229", { flood: ["10.0.7.19", OTHER_HOST_VTEP], hosts: [], neighbours: [] });

    await net.nft("n1", REPLIES_BY_NETWORK);
    await net.nft("door", DEFAULT_GATEWAY);
    // The addresses are on no interface; MetalLB would answer for them.
    const mac = (await net.exec("n1", ["cat", "/sys/class/net/vxlan228/address"])).stdout.trim();
    const neighbours = Object.values(proxyAddress).map(
      (address) => `neigh replace ${address} lladdr ${mac} dev public nud permanent`,
    );
    for (const place of ["gateway", "host"]) await net.ip(place, ...neighbours);

    await serveEcho(net, "pod", POD, 80);
    await serveEcho(net, "remote-pod", REMOTE_POD, 80);
    await serveEcho(net, "n1", NODE, HOST_PORT);
    return new ReturnPathNode(net, plan, reconciler);
  }

  /** Puts the address of a local service on an interface of the node, and its server on the address. */
  async addAddress(proxy: ServiceProxy, device: string): Promise<void> {
    await this.net.ip("n1", `address add ${proxyAddress[proxy]}/32 dev ${device}`);
    await serveEcho(this.net, "n1", proxyAddress[proxy], 80);
  }

  /** Each client calls each service, all at the same time. */
  async callAll(proxies: readonly ServiceProxy[]): Promise<ReadonlyMap<ServiceProxy, ReadonlyMap<Client, Outcome>>> {
    const answers = await Promise.all(
      proxies.map((proxy) =>
        Promise.all(clients.map((client) => echo(this.net, clientPlace[client], proxyAddress[proxy]))),
      ),
    );
    const byNetwork = await this.replies("n1");
    const byDefaultGateway = await this.replies("door");
    return new Map(
      proxies.map((proxy, row) => [
        proxy,
        new Map(
          clients.map((client, column) => {
            const key = `${proxyAddress[proxy]} ${clientAddress[client]}`;
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
  await net.connect("other-host", "eth0", "underlay", "other-host");
  await net.ip("underlay", "link set other-host mtu 1600 master br0");
  await net.ip("other-host", "link set eth0 mtu 1600", `address add ${OTHER_HOST_VTEP}/24 dev eth0`);
  for (const [place, vtep, address] of [
    ["gateway", "10.0.7.19", "198.51.100.1"],
    ["other-host", OTHER_HOST_VTEP, OTHER_HOST],
  ] as const) {
    await net.ip(
      place,
      `link add other type vxlan id 229 dstport 4789 local ${vtep}`,
      "link set other mtu 1500 up",
      `address add ${address}/24 dev other`,
    );
    for (const remote of [NODE, "10.0.7.19", OTHER_HOST_VTEP]) {
      await net.exec(place, ["bridge", "fdb", "append", "00:00:00:00:00:00", "dev", "other", "dst", remote]);
    }
  }
  await net.ip("other-host", "route add default via 198.51.100.1");
  await net.sysctl("door", "net.ipv4.ip_forward=1", "net.ipv4.conf.all.send_redirects=0");
  await net.ip("door", "route add 203.0.113.0/24 via 10.0.7.19", "route add 198.51.100.0/24 via 10.0.7.19");
}
