import type { Family, Mark } from "./node-plan.js";

/** What the agent observes of its node before planning; plain data, so that a plan can be made on a desk too. */
export interface NodeFacts {
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly links: readonly LinkFact[];
  readonly addresses: readonly AddressFact[];
  /** Marks of our own that the kernel's rules already hold, so that a network keeps its mark over restarts. */
  readonly marks: readonly MarkFact[];
  /** net.ipv4.conf.all.rp_filter; the larger of this and the interface's value counts. */
  readonly rpFilterAll: number;
  /** Priority of the rule that looks up the local table: 0, or 100 under Cilium. */
  readonly localRulePriority: number;
  /** What the kernel's IPVS does with connections; absent where it is not loaded. */
  readonly ipvs?: IpvsFact;
  /** Routing tables that other programs' rules look up for packets of any source, sorted; absent: none. */
  readonly foreignTables?: readonly number[];
  /** `false` where IPv6 is switched off (kernel parameter ipv6.disable=1): there are no sysctls of it to write. */
  readonly ipv6?: boolean;
}

export interface IpvsFact {
  /** net.ipv4.vs.conntrack: netfilter knows the connections, so that it can mark and masquerade them. */
  readonly conntrack: boolean;
  /** net.ipv4.vs.snat_reroute: a reply is routed again when it has its public source back. */
  readonly snatReroute: boolean;
}

export interface LinkFact {
  readonly name: string;
  /** `vxlan`, `vlan`, `bond`, `veth`, …; absent for a physical interface. */
  readonly kind?: string;
  readonly alias?: string;
  /** IFLA_GROUP; absent where nobody put the interface into a group. */
  readonly group?: number;
  readonly mtu: number;
  readonly up: boolean;
  readonly mac?: string;
  /** The interface below a VLAN, and the VLAN's id. */
  readonly parent?: string;
  readonly vlanId?: number;
  /** The bridge, bond or VRF of which it is a part. */
  readonly master?: string;
  /** Local address of a VXLAN interface (IFLA_VXLAN_LOCAL): a VTEP address once chosen is kept while it stays valid. */
  readonly local?: string;
  /** Of a VXLAN interface, with its UDP port. */
  readonly vni?: number;
  readonly port?: number;
  /** A VXLAN interface in metadata mode takes every VNI of its port. */
  readonly external?: true;
}

export interface AddressFact {
  readonly device: string;
  readonly family: Family;
  readonly address: string;
  readonly prefixLength: number;
  readonly secondary: boolean;
  readonly deprecated: boolean;
  readonly tentative: boolean;
  /** IFA_RT_PRIORITY, by which our own are known; absent where nobody gave it one. */
  readonly metric?: number;
}

export interface MarkFact {
  readonly table: number;
  readonly mark: Mark;
}
