import type { BfdPlan } from "../configuration/bfd.js";
/**
 * The node plan: the desired kernel state of one node as plain, sorted data. The agent makes the kernel equal to it;
 * preview renders it as commands.
 */
export interface NodePlan {
  readonly networks: readonly NetworkPlan[];
  /** Networks that this node should carry but cannot plan now; what they already hold in the kernel stays as it is. */
  readonly unplanned: readonly UnplannedNetwork[];
}

export type Family = 4 | 6;

export interface NetworkPlan {
  readonly network: string;
  readonly link: LinkPlan;
  /** Connected route before default: the kernel refuses a gateway that it cannot reach yet. */
  readonly routes: readonly RoutePlan[];
  readonly rules: readonly RulePlan[];
  readonly sysctls: readonly SysctlPlan[];
  readonly filter: FilterPlan;
  /** VTEPs to flood to, from the configuration (without BGP); with BGP they come from Type-3 routes. */
  readonly flood: readonly string[];
  readonly speaker?: SpeakerPlan;
  readonly announcements: readonly AnnouncementPlan[];
  /** What this node has by declaration; absent: nothing. */
  readonly staticAddresses?: readonly StaticAddressPlan[];
  /** What this node could not do as asked although the network is carried, e.g. `MtuTooLarge`. */
  readonly conditions?: readonly PlanCondition[];
}

/** The interface that carries the network's routes and addresses; `name` is its name. */
export type LinkPlan = VxlanLinkPlan | BridgeLinkPlan | VlanLinkPlan | AdoptedLinkPlan;

export interface VxlanLinkPlan {
  readonly kind: "vxlan";
  readonly name: string;
  /** Marks the interface as ours (IFLA_IFALIAS) and names its network. */
  readonly alias: string;
  readonly vni: number;
  readonly port: number;
  readonly local: string;
  readonly mtu: number;
  readonly mac: string;
  /** MAC learning in the data plane: on without BGP, off with it. */
  readonly learning: boolean;
  /** Transmit checksum offload; absent: as the kernel makes it. */
  readonly txChecksum?: boolean;
}

/** A bridge of ours: its ports only carry frames. */
export interface BridgeLinkPlan {
  readonly kind: "bridge";
  readonly name: string;
  readonly alias: string;
  readonly mtu: number;
  readonly mac: string;
  /** Its port to the segment; the other ports belong to whoever runs virtual machines. */
  readonly tunnel: VxlanLinkPlan;
}

export interface VlanLinkPlan {
  readonly kind: "vlan";
  readonly name: string;
  readonly alias: string;
  readonly parent: string;
  readonly id: number;
  readonly mtu: number;
}

/** Somebody else's VLAN interface of the same parent and id: used as it is, never changed but for being set up. */
export interface AdoptedLinkPlan {
  readonly kind: "adopted";
  readonly name: string;
  readonly parent: string;
  readonly id: number;
  /** What it has. */
  readonly mtu: number;
}

export interface RoutePlan {
  readonly family: Family;
  readonly table: number;
  /** Canonical prefix, or `default`. */
  readonly destination: string;
  readonly gateway?: string;
  readonly device: string;
  readonly onlink: boolean;
}

/** An address of the node alone (/32 or /128) on the network's interface. */
export interface StaticAddressPlan {
  readonly family: Family;
  /** Canonical. */
  readonly address: string;
  readonly device: string;
}

export interface Mark {
  readonly value: number;
  readonly mask: number;
}

export interface RulePlan {
  readonly family: Family;
  readonly priority: number;
  readonly from?: string;
  readonly to?: string;
  readonly mark?: Mark;
  readonly action: { readonly kind: "lookup"; readonly table: number } | { readonly kind: "unreachable" };
}

/** `name` in dotted form as `sysctl` prints it, e.g. `net.ipv4.conf.vxlan228.rp_filter`. */
export interface SysctlPlan {
  readonly name: string;
  readonly value: string;
}

/** The network's part of the node's nft table: reply marks, the segment filter and the clamp of TCP's segment size. */
export interface FilterPlan {
  readonly device: string;
  /**
   * MAC of a bridge: the frames that the node takes for itself. With br_netfilter the others, which only pass from port to
   * port, meet the nft table as well.
   */
  readonly bridgeMac?: string;
  readonly prefixes: readonly string[];
  /** Mark of replies to every prefix that `prefixMarks` does not name; absent: replies are not marked. */
  readonly mark?: Mark;
  /** Prefixes with a table of their own have a mark of their own. */
  readonly prefixMarks?: readonly PrefixMark[];
  /** `both` under strict rp_filter: there the request must carry the mark too, or the reverse check drops it. */
  readonly markDirection: "reply" | "both";
  readonly segmentFilter: boolean;
  /** MTU of an interface that carries less than its segment: TCP through it is told to send no more. */
  readonly clampMtu?: number;
}

export interface PrefixMark {
  readonly prefix: string;
  /** Absent: replies to this prefix are not marked. */
  readonly mark?: Mark;
}

export interface SpeakerPlan {
  readonly vni: number;
  readonly vtep: string;
  readonly mac: string;
  readonly routerId: string;
  readonly localAsn: number;
  readonly peerAsn: number;
  readonly peers: readonly string[];
  /** What the sessions come from; absent: the VTEP. Null: the node has not the declared one, so that there are none. */
  readonly source?: string | null;
  /** Seconds. */
  readonly holdTime: number;
  /** Path on the node of the file with the TCP MD5 password (RFC 2385); a plan never holds the password itself. */
  readonly passwordFile?: string;
  /** The peers may connect as well. */
  readonly listen?: true;
  /** How many hops away a peer may be, itself counted (RFC 5082); without it any distance will do. */
  readonly ttlSecurity?: number;
  /** How often our AS may stand in the path of a route (RFC 4271 section 9.1.2); absent: never. */
  readonly allowOwnAs?: number;
  /** BFD with the peers; absent where it is off. */
  readonly bfd?: BfdPlan;
  /** Routes of one peer that are kept; of networks that share its session the largest counts. */
  readonly maxRoutes?: number;
  /** MAC addresses of others that the kernel gets. */
  readonly maxMacs?: number;
  readonly routeDistinguisher: string;
  readonly importRouteTargets: readonly string[];
  readonly exportRouteTargets: readonly string[];
  readonly gobgpPort: number;
}

export interface AnnouncementPlan {
  readonly family: Family;
  readonly prefix: string;
  readonly gateway: string;
  readonly enabled: boolean;
  /** Seconds. */
  readonly interval: number;
}

export interface UnplannedNetwork {
  readonly network: string;
  /** The interface that carries its routes. */
  readonly device: string;
  /** All interfaces that the agent makes for it. */
  readonly interfaces: readonly string[];
  readonly tables: readonly number[];
  /** Those that no other network routes on this node. */
  readonly prefixes: readonly string[];
  /** By source: their guard keeps packets from its prefixes out of the main table, with or without an interface. */
  readonly rules: readonly RulePlan[];
  /** Its part of the node's nft table, which is loaded as a whole: kept as long as its interface is there. */
  readonly filter: FilterPlan;
  /** What this node has by declaration, where it is installed already. */
  readonly staticAddresses?: readonly StaticAddressPlan[];
  readonly condition: PlanCondition;
}

/** Why a network cannot be carried on this node, in a form for status and people. */
export interface PlanCondition {
  /** A CamelCase word, stable for machines, e.g. `NoVtepAddress`. */
  readonly reason: string;
  readonly message: string;
}
