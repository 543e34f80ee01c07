import type { AddressFact } from "../node-plan/node-facts.js";
import type { Family, Mark } from "../node-plan/node-plan.js";
import type { LinkStray } from "./link-properties.js";

/** What the kernel of this node holds, as far as it concerns us. */
export interface ObservedState {
  readonly links: readonly ObservedLink[];
  readonly addresses: readonly AddressFact[];
  /** Routes with our protocol number in every table, and all routes of the tables that were asked for. */
  readonly routes: readonly ObservedRoute[];
  /** Tables in which anybody has a default route: a rule for all packets leads nowhere without one. */
  readonly defaultRoutes?: readonly { readonly family: Family; readonly table: number }[];
  readonly rules: readonly ObservedRule[];
  /** `false` where the kernel has no IPv6 (ipv6.disable=1); that somebody flushed its rules does not say so. */
  readonly ipv6?: boolean;
  /** Absent: our nft table does not exist. */
  readonly filter?: ObservedFilter;
  /** Why ethtool, where the plan needs it, could not tell of offloads. */
  readonly ethtoolFailure?: string;
  /** Values by dotted name; a name that the kernel does not have is absent. */
  readonly sysctls: Readonly<Record<string, string>>;
  /** FDB entries by device, for VXLAN interfaces that are ours. */
  readonly forwarding: Readonly<Record<string, readonly ForwardingEntry[]>>;
  /** What the bridge of such an interface knows, by the VXLAN interface. */
  readonly bridged?: Readonly<Record<string, readonly BridgedHost[]>>;
}

/** What facts of a node are made of. */
export type ObservedNode = Pick<ObservedState, "links" | "addresses" | "rules" | "ipv6" | "sysctls">;

export interface ObservedLink {
  readonly name: string;
  /** `vxlan`, `vlan`, …; absent for a physical interface. */
  readonly kind?: string;
  readonly alias?: string;
  /** IFLA_GROUP; absent where nobody put the interface into a group. */
  readonly group?: number;
  readonly mtu: number;
  readonly up: boolean;
  readonly mac?: string;
  /** The bridge, bond or VRF of which it is a part. */
  readonly master?: string;
  /** It is up with a carrier, and has no link-local address of IPv6; absent: nobody has to give it one. */
  readonly withoutLinkLocal?: true;
  /** Of the port of a bridge: whether the bridge learns MACs from it. */
  readonly portLearning?: boolean;
  /** Absent where all properties are as the kernel makes them. */
  readonly strays?: readonly LinkStray[];
  /** The interface below a VLAN. */
  readonly parent?: string;
  readonly vxlan?: {
    readonly vni: number;
    readonly port: number;
    readonly local?: string;
    readonly learning: boolean;
    /** Metadata mode: it takes every VNI of its port. Absent: only its own. */
    readonly external?: true;
  };
  readonly vlan?: { readonly id: number };
  /** Transmit checksum offload; absent where nobody asked for it. */
  readonly txChecksum?: boolean;
}

export interface ObservedRoute {
  readonly family: Family;
  readonly table: number;
  /** Canonical prefix, or `default`. */
  readonly destination: string;
  readonly protocol: number;
  readonly device?: string;
  readonly gateway?: string;
  readonly onlink: boolean;
  /** Unicast with a single next hop, the family's usual metric and no further attribute: the only form that we write. */
  readonly plain: boolean;
  /** It has a metric, TOS or source of its own, by which the kernel keeps it beside a plain one of the same destination. */
  readonly apart?: true;
  /** Of one that is not plain: in the words of `ip route del`, but for its table and protocol, so that none beside it is meant. */
  readonly words?: string;
}

export interface ObservedRule {
  readonly family: Family;
  readonly priority: number;
  readonly protocol: number;
  readonly from?: string;
  readonly to?: string;
  readonly mark?: Mark;
  readonly action:
    | { readonly kind: "lookup"; readonly table: number }
    | { readonly kind: "unreachable" }
    | { readonly kind: "goto"; readonly priority: number }
    | { readonly kind: "other" };
  /** It has no further selectors (interface, port, `not`, …) or options: the only form that we write. */
  readonly plain: boolean;
  /** Of a rule that is not plain; absent where it is not known. */
  readonly further?: FurtherSelectors;
  /** Of a form that we never write: in the words of `ip rule del`, but for its priority and protocol; absent where they are not known. */
  readonly words?: string;
}

/** What a rule has beside source, destination and mark. */
export interface FurtherSelectors {
  /** `not`: it takes what its selectors together do not match. */
  readonly inverted: boolean;
  /** Interface of entry. */
  readonly iif?: string;
  /** Any other selector: interface of exit, ports, user, TOS, … */
  readonly others: boolean;
  /** It passes over some of the routes that it finds: `suppress_prefixlength`, `suppress_ifgroup`. */
  readonly suppresses: boolean;
  /** The kernel passes the rule over: `nop`, or a jump without a target. */
  readonly idle: boolean;
}

export interface ObservedFilter {
  /** `nft --stateless list table`, without the chain that holds the seal. */
  readonly listing: string;
  readonly seal?: string;
}

export interface ForwardingEntry {
  readonly mac: string;
  readonly vtep: string;
  /** Put there by a control plane (NTF_EXT_LEARNED): not aged, and by our convention ours. */
  readonly external: boolean;
}

/** A MAC that a bridge has learned or was told. */
export interface BridgedHost {
  readonly mac: string;
  /** The port behind which it sits. */
  readonly port: string;
  /** As in {@link ForwardingEntry}. */
  readonly external: boolean;
}
