import type { ForwardingPlan, NodeFacts, NodePlan, PlanCondition, RouterNodeStatus } from "../../../model/index.js";
import type { OwnedAddress } from "../addresses/owned-addresses.js";
import type { Announcer } from "../announce/announcer.js";
import type { EvpnSpeaker } from "../evpn/evpn-speaker.js";
import type { ForwardingChanges } from "../evpn/forwarding-state.js";
import type { GobgpApi } from "../gobgp/gobgp-api.js";
import type { Applied, ReconcileResult } from "../kernel/index.js";
import type { CarriedNetwork, UnusableNetwork } from "./carried-network.js";
import type { GatewayKeeper } from "./gateway-keeper.js";
import type { HostKeeper } from "./host-keeper.js";
import type { Rejections } from "./rejections.js";

/** What the loop needs of the world around it; the edges implement it, tests put fakes in its place. */
export interface AgentPorts {
  readonly source: ConfigurationSource;
  readonly kernel: NodeKernel;
  readonly speaker: NodeSpeaker;
  readonly gobgp: Pick<GobgpApi, "setNetworks" | "notices">;
  readonly addresses: AddressFollower;
  readonly announcer: Pick<Announcer, "set" | "hasten">;
  readonly gateways: Pick<GatewayKeeper, "set" | "learn" | "notices">;
  readonly hosts: Pick<HostKeeper, "set" | "hosts" | "complete" | "moved" | "notices">;
  readonly probes: NodeProbes;
  readonly rejections: Pick<Rejections, "list" | "keep">;
  readonly report: (status: RouterNodeStatus) => Promise<void>;
  readonly log: AgentLog;
}

export interface AgentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the node shall carry, each network under its own name. */
export interface Desired {
  readonly networks: readonly CarriedNetwork[];
  /** Told to the node, but of no version that it could carry. */
  readonly unusable?: readonly UnusableNetwork[];
}

export interface ConfigurationSource {
  /** Undefined: nobody said anything yet, and nothing may be concluded from it. */
  desired(): Desired | undefined;
  /** What the node carried last, over restarts too. Undefined: nothing is known of it, which is not that it was nothing. */
  carried(): readonly CarriedNetwork[] | undefined;
  /** The node carries these now, those included that it could not remove yet. */
  applied(carried: readonly CarriedNetwork[]): Promise<void>;
}

export interface NodeKernel {
  facts(): Promise<NodeFacts>;
  /** Resolves also when something failed; what failed is in the result. */
  reconcile(plan: NodePlan): Promise<ReconcileResult>;
  applyForwarding(device: string, state: ForwardingPlan): Promise<Applied>;
  /** Undefined: the whole is needed first. */
  changeForwarding(device: string, changes: ForwardingChanges): Promise<Applied> | undefined;
  /** The bridge whose port this VXLAN interface is looks for the MAC behind it from now on. */
  releaseHost(device: string, mac: string): Promise<Applied>;
  /** As it counts for the interface. */
  arpIgnore(device: string): number;
  /** The node does not answer for these addresses any more. Rejects when something could not be forgotten. */
  forgetFlows(addresses: readonly string[]): Promise<void>;
}

/** What the loop uses of the EVPN speaker. */
export type NodeSpeaker = Pick<
  EvpnSpeaker,
  | "setNetworks"
  | "refusals"
  | "notices"
  | "setAddresses"
  | "setHosts"
  | "announced"
  | "contested"
  | "initialStateKnown"
  | "nothingToKeep"
  | "sessions"
  | "forwarding"
  | "takeForwarding"
>;

/** A question whose answer shows that this node is not cut off. */
export type Probe =
  /** Needs no asking. */
  | { readonly kind: "known"; readonly name: string; readonly answers: boolean }
  | { readonly kind: "apiServer"; readonly name: string }
  | { readonly kind: "tcp"; readonly name: string; readonly host: string; readonly port: number }
  | {
      readonly kind: "gateway";
      readonly name: string;
      readonly device: string;
      readonly mac: string;
      readonly gateway: string;
    };

export interface NodeProbes {
  /** Those that do not come from a network. */
  readonly ofNode: readonly Probe[];
  /** Milliseconds after which what answered before a change and does not since counts as cut off by it. */
  readonly patience: number;
  run(probe: Probe): Promise<boolean>;
}

export interface AddressFollower {
  owned(facts: NodeFacts, plan: NodePlan): FollowedAddresses;
}

export interface FollowedAddresses {
  readonly owned: readonly OwnedAddress[];
  /** Ownership was confirmed lately, so that periodic announcements go on. */
  readonly confirmed: boolean;
  /** This node's speaker of MetalLB repeats its announcements itself. */
  readonly repeated: boolean;
  /** The claims from before a restart are known, or the API server was read. */
  readonly complete: boolean;
  /** By network, what to tell people of its addresses. */
  readonly notices: ReadonlyMap<string, readonly PlanCondition[]>;
  /** Why claims cannot be followed, for people. */
  readonly problem?: string;
}
