import type { Cni } from "../numbers/cni.js";

/**
 * The normal form of the configuration: what a file and Pulumi arguments are normalised to, and what the Kubernetes
 * objects hold. Defaults are filled in, `routing` is a list, `arpAnnouncer` an object, prefixes are canonical.
 */
export interface Configuration extends RouterSpec {
  readonly networks: readonly NamedNetwork[];
}

/** The `spec` of the `VlanRouter` object: what all networks of a cluster share. */
export interface RouterSpec {
  /** Pod and service networks of the cluster: traffic between them and a public address stays in the main table. */
  readonly podNetworks: readonly string[];
  /** What the cluster's pods are networked with: its table numbers, tunnels and marks are left to it. */
  readonly cni?: Cni;
}

export type NamedNetwork = NetworkSpec & { readonly name: string };

/** The `spec` of a `PublicNetwork` object: one segment (a VNI or a VLAN id). */
export type NetworkSpec = VxlanNetworkSpec | VlanNetworkSpec;

interface NetworkSpecBase {
  /** Labels of the nodes that carry the network; every node when absent. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** False lets traffic for other prefixes enter by the interface: where the CNI translates there. */
  readonly segmentFilter?: boolean;
  readonly routing: readonly Routing[];
}

export interface VxlanNetworkSpec extends NetworkSpecBase {
  readonly type: "vxlan";
  readonly vxlan: Vxlan;
}

export interface VlanNetworkSpec extends NetworkSpecBase {
  readonly type: "vlan";
  readonly vlan: Vlan;
}

export interface Vxlan {
  /** VXLAN network identifier, 24 bits (RFC 7348 section 5). */
  readonly vni: number;
  /** Prefix in which each node finds its own VTEP address. */
  readonly nodeNet: string;
  /** Names the interface when more than one carries an address of nodeNet. */
  readonly nodeInterface?: string;
  /** UDP port; 4789 (RFC 7348), never the kernel's own default 8472. */
  readonly port: number;
  /** Bytes; the underlay's MTU less the encapsulation when absent. */
  readonly mtu?: number;
  /** The VXLAN interface is the port of a bridge, which carries routes and addresses and takes virtual machines as well. */
  readonly bridge?: boolean;
  /** Transmit checksum offload of the VXLAN interface; not looked at when absent. */
  readonly txChecksum?: boolean;
  /** VTEP addresses to flood to when there is no BGP (MAC learning). */
  readonly remotes?: readonly string[];
  readonly bgp?: Bgp;
}

export interface Bgp {
  readonly myAsn: number;
  readonly peerAsn: number;
  readonly peers: readonly string[];
  /** Seconds (RFC 4271 section 4.2); at least 3. */
  readonly holdTime: number;
  /** What the sessions come from: one address, or the prefix in which each node has one. The VTEP address when absent. */
  readonly sourceAddress?: string;
  /** Path on the node of the file with the password that signs the sessions (TCP MD5, RFC 2385). */
  readonly passwordFile?: string;
  /** Whether the peers may connect to the node too, on TCP port 179 of its local address; only the node does when absent. */
  readonly listen?: boolean;
  /** How many hops away a peer may be, itself counted (RFC 5082). Any distance when absent. */
  readonly ttlSecurity?: number;
  /** How often our AS may stand in the path of a peer's route (RFC 4271 section 9.1.2); never when absent. */
  readonly allowOwnAs?: number;
  /** BFD with the peers (RFC 5880); off when absent. */
  readonly bfd?: Bfd;
  /** Routes of one peer at which its session is ended; 300,000 when absent. */
  readonly maxRoutes?: number;
  /** MAC addresses of others that the kernel gets; 150,000 when absent. */
  readonly maxMacs?: number;
  /** `ASN:NN`, or a rule to derive it: `rfc8365`, `frr`. `myAsn:VNI` when absent. */
  readonly routeTarget?: string;
  /** What is imported; the export target, in eBGP also the peer's automatic one, when absent. */
  readonly importRouteTargets?: readonly string[];
  /** `A.B.C.D:NN`; derived from the router id and VNI when absent. */
  readonly routeDistinguisher?: string;
  /** BGP identifier; follows from the VTEP address when absent. */
  readonly routerId?: string;
  readonly gobgpPort?: number;
}

export interface Vlan {
  /** The interface under the VLAN: a bond, a physical interface or a bridge. */
  readonly parent: string;
  /** 802.1Q VLAN id, 1 to 4094. */
  readonly id: number;
  readonly mtu?: number;
}

/** `auto` marks replies where the kernel's service proxy rewrites addresses (facts: un-DNAT happens after routing). */
export type ReturnPath = "auto" | "source" | "mark";

export interface Routing {
  readonly cidr: string;
  readonly gateway: string;
  /** Routing table; the VNI or VLAN id when absent. */
  readonly table?: number;
  /** The gateway is reachable on the segment although it lies outside the cidr. */
  readonly onlink: boolean;
  readonly returnPath: ReturnPath;
  /**
   * Name of the network that has had this prefix: a node that carries both routes it by this one. For a migration, where
   * a prefix stands in two networks for a while.
   */
  readonly replaces?: string;
  readonly arpAnnouncer: ArpAnnouncer;
  /** Addresses of the cidr that nodes have by declaration, each on one. */
  readonly staticAddresses?: readonly StaticAddress[];
}

export interface StaticAddress {
  readonly address: string;
  /** Name of the Kubernetes node, or of the agent's node on a host. */
  readonly node: string;
}

/** Of one session between two addresses; intervals in milliseconds. */
export interface Bfd {
  readonly enabled: boolean;
  /** Between two packets that the node sends, at the least; the peer's minRxInterval may make it more. */
  readonly minTxInterval: number;
  /** Between two packets that the node wants to receive. */
  readonly minRxInterval: number;
  /** Packets that may be missing in a row before the other end is Down. */
  readonly multiplier: number;
  /** Peers are reached through routers (RFC 5883). Where absent a node tells by its interfaces. */
  readonly multihop?: boolean;
}

export interface ArpAnnouncer {
  readonly enabled: boolean;
  /** Seconds between periodic announcements of an owned address. */
  readonly interval: number;
}
