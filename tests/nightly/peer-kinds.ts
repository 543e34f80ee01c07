import { addLeafSegment, FrrRouter, plugHost, unplugHost } from "../interop/frr-router.js";
import { GobgpDaemon, type GobgpRelease, type RouteWords } from "../interop/gobgp-daemon.js";
import type { TestNamespaces } from "../support/namespace.js";

/** A Type-2 or Type-3 of the node, as another program has read it. */
export interface NodeRoute {
  readonly routeType: number;
  /** MAC mobility (RFC 7432 section 7.7); undefined: none. */
  readonly sequence: number | undefined;
}

/** Somebody with whom the node has a session, with hosts at the VTEP 10.0.7.30, whatever lies between. */
export interface Peer {
  announce(mac: string, address?: string): Promise<void>;
  withdraw(mac: string, address?: string): Promise<void>;
  /** What has come of the node's routes to where the hosts are. */
  nodeRoutes(): Promise<readonly NodeRoute[]>;
  /** The end of the node's peer without a farewell. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Mute, with its connections open. */
  pause(): Promise<void>;
  goOn(): Promise<void>;
}

export interface PeerSettings {
  readonly nodeAddress: string;
  readonly nodeAsn: number;
  readonly asn: number;
  readonly password: string;
}

export interface PeerKind {
  readonly name: string;
  /** It keeps EVPN routes of a neighbour that is away (RFC 4724). */
  readonly keepsRoutes: boolean;
  /** When a session was lost it may answer nobody any more, not even its command, and is started again then. */
  readonly hangsAfterLoss: boolean;
  start(fabric: TestNamespaces, settings: PeerSettings): Promise<Peer>;
}

/** Places of a fabric, with the last byte of their addresses. */
export const places = { n1: 20, peer: 18, leaf: 30, other: 40 } as const;

const vni = 228;
const nodeDistinguisher = "10.0.7.20:228";
const leafVtep = "10.0.7.30";

interface Neighbour {
  readonly address: string;
  readonly asn: number;
  readonly password?: string;
  readonly client?: boolean;
}

function frrConfiguration(asn: number, routerId: string, neighbours: readonly Neighbour[], isLeaf: boolean): string {
  const lines = (of: (neighbour: Neighbour) => readonly string[]) => neighbours.flatMap(of).join("\n");
  return `router bgp ${asn}
 bgp router-id ${routerId}
 no bgp default ipv4-unicast
 no bgp ebgp-requires-policy
${lines(({ address, asn: remote, password }) => [
  ` neighbor ${address} remote-as ${remote}`,
  ` neighbor ${address} timers connect 1`,
  ...(password === undefined ? [] : [` neighbor ${address} password ${password}`, ` neighbor ${address} passive`]),
])}
 address-family l2vpn evpn
${lines(({ address, client }) => [
  `  neighbor ${address} activate`,
  ...(client === true ? [`  neighbor ${address} route-reflector-client`] : []),
])}
${isLeaf ? "  advertise-all-vni\n" : ""} exit-address-family
`;
}

/** Hosts of a leaf of FRR are what its kernel has learned. */
class FrrPeer implements Peer {
  constructor(
    private readonly fabric: TestNamespaces,
    private readonly place: "peer" | "leaf",
    private readonly leaf: FrrRouter,
    private readonly router: FrrRouter,
  ) {}

  async announce(mac: string, address?: string): Promise<void> {
    await plugHost(this.fabric, this.place, vni, mac);
    if (address !== undefined) {
      await this.fabric.ip(this.place, `neigh replace ${address} lladdr ${mac} dev br${vni} nud reachable`);
    }
  }

  async withdraw(mac: string, address?: string): Promise<void> {
    if (address !== undefined) {
      // The entry may be the node's by now.
      await this.fabric.exec(this.place, ["ip", "neigh", "del", address, "dev", `br${vni}`], { check: false });
    }
    await unplugHost(this.fabric, this.place, vni, mac);
  }

  async nodeRoutes(): Promise<readonly NodeRoute[]> {
    const ours = (await this.leaf.routes()).filter(({ rd, best }) => rd === nodeDistinguisher && best);
    return ours.map(({ routeType, extendedCommunities }) => {
      const number = /MM:(\d+)/.exec(extendedCommunities)?.[1];
      return { routeType, sequence: number === undefined ? undefined : Number(number) };
    });
  }

  crash(): Promise<void> {
    return this.router.stopBgp("SIGKILL");
  }

  start(): Promise<void> {
    return this.router.startBgp();
  }

  pause(): Promise<void> {
    return this.router.signalBgp("SIGSTOP");
  }

  goOn(): Promise<void> {
    return this.router.signalBgp("SIGCONT");
  }
}

class GobgpPeer implements Peer {
  readonly #announced = new Map<string, RouteWords>();

  constructor(
    private readonly daemon: GobgpDaemon,
    private readonly asn: number,
  ) {}

  announce(mac: string, address = "0.0.0.0"): Promise<void> {
    return this.#add(hostRoute(this.asn, leafVtep, mac, address));
  }

  announceFlood(): Promise<void> {
    return this.#add([
      ...["multicast", leafVtep, "etag", "0", "rd", `${leafVtep}:${vni}`, "rt", `${this.asn}:${vni}`, "encap", "vxlan"],
      ...["pmsi", "ingress-repl", String(vni), leafVtep, "nexthop", leafVtep],
    ]);
  }

  async withdraw(mac: string, address = "0.0.0.0"): Promise<void> {
    const words = hostRoute(this.asn, leafVtep, mac, address);
    this.#announced.delete(words.join(" "));
    await this.daemon.withdraw(words);
  }

  async nodeRoutes(): Promise<readonly NodeRoute[]> {
    return (await this.daemon.rib()).filter(({ rd }) => rd === nodeDistinguisher);
  }

  crash(): Promise<void> {
    return this.daemon.stop("SIGKILL");
  }

  async start(): Promise<void> {
    await this.daemon.startAgain("-r");
    await this.daemon.announce(...this.#announced.values());
  }

  pause(): Promise<void> {
    return this.daemon.signal("SIGSTOP");
  }

  goOn(): Promise<void> {
    return this.daemon.signal("SIGCONT");
  }

  async #add(words: RouteWords): Promise<void> {
    this.#announced.set(words.join(" "), words);
    await this.daemon.announce(words);
  }
}

/** As the words of `gobgp global rib add -a evpn`. */
export function hostRoute(asn: number, vtep: string, mac: string, address = "0.0.0.0"): RouteWords {
  return [
    ...["macadv", mac, address, "etag", "0", "label", String(vni), "rd", `${vtep}:${vni}`],
    ...["rt", `${asn}:${vni}`, "encap", "vxlan", "nexthop", vtep],
  ];
}

function frrLeaf(): PeerKind {
  return {
    name: "a leaf of FRR",
    keepsRoutes: false,
    hangsAfterLoss: false,
    async start(fabric, { nodeAddress, nodeAsn, asn, password }) {
      await addLeafSegment(fabric, "peer", vni, leafVtep);
      // The VTEP of all hosts, so that the kinds differ in nothing else.
      await fabric.ip("peer", `address add ${leafVtep}/32 dev lo`);
      const node = { address: nodeAddress, asn: nodeAsn, password };
      const router = await FrrRouter.start(fabric, "peer", frrConfiguration(asn, "10.0.7.18", [node], true));
      return new FrrPeer(fabric, "peer", router, router);
    },
  };
}

/** Inside an AS it reflects (RFC 4456); else it is a spine between two others. */
function frrBetween(): PeerKind {
  return {
    name: "FRR with a leaf of FRR behind it",
    keepsRoutes: false,
    hangsAfterLoss: false,
    async start(fabric, { nodeAddress, nodeAsn, asn, password }) {
      await addLeafSegment(fabric, "leaf", vni, leafVtep);
      const internal = nodeAsn === asn;
      const leafAsn = internal ? asn : 65_020;
      const neighbours = [
        { address: nodeAddress, asn: nodeAsn, password, client: internal },
        { address: leafVtep, asn: leafAsn, client: internal },
      ];
      const router = await FrrRouter.start(fabric, "peer", frrConfiguration(asn, "10.0.7.18", neighbours, false));
      const between = { address: "10.0.7.18", asn };
      const leaf = await FrrRouter.start(fabric, "leaf", frrConfiguration(leafAsn, leafVtep, [between], true));
      return new FrrPeer(fabric, "leaf", leaf, router);
    },
  };
}

function gobgp(release: GobgpRelease): PeerKind {
  return {
    name: `GoBGP ${release}`,
    keepsRoutes: true,
    // 3.10: `gobgp` then says "context deadline exceeded" (measured, with TCP MD5 and without).
    hangsAfterLoss: release === "debian",
    async start(fabric, { nodeAddress, nodeAsn, asn, password }) {
      const daemon = await GobgpDaemon.start(fabric, "peer", release, {
        asn,
        routerId: "10.0.7.18",
        holdTime: 9,
        neighbours: [{ address: nodeAddress, asn: nodeAsn, password }],
      });
      const peer = new GobgpPeer(daemon, asn);
      await peer.announceFlood();
      return peer;
    },
  };
}

export const peerKinds: readonly PeerKind[] = [frrLeaf(), frrBetween(), gobgp("v4"), gobgp("v3"), gobgp("debian")];
