import type * as pulumi from "@pulumi/pulumi";

/**
 * A public network in the format of the configuration file. What names the network (kind, VNI, VLAN id, name) is plain, so
 * that its numbers are known before anything is created; the rest may come from other resources.
 */
export type NetworkArgs = VxlanNetworkArgs | VlanNetworkArgs;

interface NetworkArgsBase {
  /** Name of the PublicNetwork object. Defaults to the interface's name, such as `vxlan228`. */
  readonly name?: string;
  /** Labels of the nodes that carry the network. Defaults to every Linux node. */
  readonly nodeSelector?: Readonly<Record<string, pulumi.Input<string>>>;
  /** False where the CNI translates addresses on this very interface. Defaults to true. */
  readonly segmentFilter?: pulumi.Input<boolean>;
  /** One subnet, or a list: each second one of a family needs its own `table`. */
  readonly routing: RoutingArgs | readonly RoutingArgs[];
}

export interface VxlanNetworkArgs extends NetworkArgsBase {
  readonly type: "vxlan";
  readonly vxlan: VxlanArgs;
}

export interface VlanNetworkArgs extends NetworkArgsBase {
  readonly type: "vlan";
  readonly vlan: VlanArgs;
}

export interface VxlanArgs {
  /** VXLAN network identifier, 24 bits. */
  readonly vni: number;
  /** Prefix in which each node finds its own VTEP address. */
  readonly nodeNet: pulumi.Input<string>;
  /** Names the interface when more than one has an address of nodeNet. */
  readonly nodeInterface?: pulumi.Input<string>;
  /** UDP port. Defaults to 4789. */
  readonly port?: pulumi.Input<number>;
  /** Bytes. Defaults to the underlay's MTU less the encapsulation. */
  readonly mtu?: pulumi.Input<number>;
  /**
   * Makes the VXLAN interface the port of a bridge `br<vni>`, which carries routes and addresses and takes virtual machines
   * as well. Defaults to false.
   */
  readonly bridge?: pulumi.Input<boolean>;
  /**
   * Transmit checksum offload of the VXLAN interface: false where what is below damages the checksums inside the tunnel.
   * Defaults to what the kernel makes it (on), which is then not looked at: true takes an earlier false back.
   */
  readonly txChecksum?: pulumi.Input<boolean>;
  /** Addresses to flood to when there is no BGP. */
  readonly remotes?: pulumi.Input<readonly pulumi.Input<string>[]>;
  readonly bgp?: BgpArgs;
}

export interface BgpArgs {
  /** As a number, or as text such as `65000.1` (RFC 5396). */
  readonly myAsn: pulumi.Input<number | string>;
  readonly peerAsn: pulumi.Input<number | string>;
  readonly peers: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** Seconds. Defaults to 30. */
  readonly holdTime?: pulumi.Input<number>;
  /**
   * Address that the sessions come from, or the prefix in which each node has its own, such as `10.255.0.0/24`. Defaults to
   * the node's address in nodeNet.
   */
  readonly sourceAddress?: pulumi.Input<string>;
  /**
   * Path on the nodes of the file with the password that signs the sessions (TCP MD5, RFC 2385). The keys of the Secret
   * that the router's `bgpPasswordSecret` names are files in /etc/vlan-router/bgp-passwords. Defaults to none.
   */
  readonly passwordFile?: pulumi.Input<string>;
  /** Whether the peers may open the sessions too, on TCP port 179 of the nodes. Defaults to false. */
  readonly listen?: pulumi.Input<boolean>;
  /** How many hops away the peers may be, themselves counted (RFC 5082). Defaults to any distance. */
  readonly ttlSecurity?: pulumi.Input<number>;
  /** How often `myAsn` may stand in the AS path of a route (`allowas-in`). Defaults to 0. */
  readonly allowOwnAs?: pulumi.Input<number>;
  /**
   * BFD with the peers (RFC 5880): a dead one is noticed in under a second. Intervals are in milliseconds, 300 unless said
   * otherwise, and the multiplier is 3. Defaults to false.
   */
  readonly bfd?: pulumi.Input<boolean> | BfdArgs;
  /** Routes of one peer at which its session is ended (RFC 4486). Defaults to 300000. */
  readonly maxRoutes?: pulumi.Input<number>;
  /** MAC addresses of others that a node's kernel gets. Defaults to 150000. */
  readonly maxMacs?: pulumi.Input<number>;
  /** `ASN:NN`, or `rfc8365` or `frr` for their automatic forms. Defaults to myAsn and the VNI. */
  readonly routeTarget?: pulumi.Input<string>;
  /** What is imported. Defaults to routeTarget, or to what both AS numbers give. */
  readonly importRouteTargets?: pulumi.Input<readonly pulumi.Input<string>[]>;
  /** `A.B.C.D:NN`. Defaults to the router id and the VNI. */
  readonly routeDistinguisher?: pulumi.Input<string>;
  /** BGP identifier. Follows from the VTEP address when absent; one value is right for one node only. */
  readonly routerId?: pulumi.Input<string>;
  /** Port of the GoBGP API on 127.0.0.1. Defaults to 20000 + VNI mod 10000. */
  readonly gobgpPort?: pulumi.Input<number>;
}

export interface BfdArgs {
  readonly enabled?: pulumi.Input<boolean>;
  readonly minTxInterval?: pulumi.Input<number>;
  readonly minRxInterval?: pulumi.Input<number>;
  /** Packets that may be missing in a row. */
  readonly multiplier?: pulumi.Input<number>;
  /** Peers are reached through routers (RFC 5883). Each node tells by its interfaces when absent. */
  readonly multihop?: pulumi.Input<boolean>;
}

export interface VlanArgs {
  /** The interface under the VLAN. */
  readonly parent: pulumi.Input<string>;
  /** 802.1Q VLAN id, 1 to 4094. */
  readonly id: number;
  /** Bytes. Defaults to the parent's MTU. */
  readonly mtu?: pulumi.Input<number>;
}

export interface RoutingArgs {
  readonly cidr: pulumi.Input<string>;
  readonly gateway: pulumi.Input<string>;
  /** Defaults to the VNI or VLAN id. */
  readonly table?: pulumi.Input<number>;
  /** The gateway lies outside the cidr but is reachable on the segment. Defaults to false. */
  readonly onlink?: pulumi.Input<boolean>;
  /** Defaults to `auto`. */
  readonly returnPath?: pulumi.Input<"auto" | "source" | "mark">;
  /** Name of the network that has had this prefix: for a migration, where both name it for a while. */
  readonly replaces?: pulumi.Input<string>;
  /** Periodic ARP for owned addresses; the interval is in seconds. Defaults to false. */
  readonly arpAnnouncer?:
    | pulumi.Input<boolean>
    | { readonly enabled?: pulumi.Input<boolean>; readonly interval?: pulumi.Input<number> };
  /** Addresses of the cidr that a node has by declaration, without MetalLB. Defaults to none. */
  readonly staticAddresses?: pulumi.Input<readonly StaticAddressArgs[]>;
}

export interface StaticAddressArgs {
  readonly address: pulumi.Input<string>;
  /** Name of the node in Kubernetes, or of the agent's node on a host. */
  readonly node: pulumi.Input<string>;
}
