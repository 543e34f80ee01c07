import type { NetworkSpec, RouterSpec } from "../configuration/configuration.js";

/** API group of every object of this package; all of them are cluster-scoped. */
export const apiGroup = "vlan-router.io";
export const apiVersion = `${apiGroup}/v1alpha1`;
/** Kept on a `PublicNetwork` until every node has removed it. */
export const nodesFinalizer = `${apiGroup}/nodes`;
/** Project, stack and URN of the program that owns an object, `PROJECT/STACK URN`. */
export const ownerAnnotation = `${apiGroup}/owner`;
export const routerName = "default";
export const agentNamespace = "vlan-router";

export interface ObjectMeta {
  readonly name: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Who wrote which fields. */
  readonly managedFields?: readonly ManagedFields[];
}

/** As much of `ManagedFieldsEntry` (meta/v1) as is read. */
export interface ManagedFields {
  readonly manager: string;
  /** Server-side apply, or any other write. */
  readonly operation?: string;
  readonly fieldsV1?: FieldSet;
}

/** The format FieldsV1: names with `f:` before them; an empty set is the field itself. */
export interface FieldSet {
  readonly [step: string]: FieldSet;
}

interface ApiObject<Kind extends string> {
  readonly apiVersion: typeof apiVersion;
  readonly kind: Kind;
  readonly metadata: ObjectMeta;
}

/** Singleton `default`: what all networks of the cluster share. */
export interface VlanRouterObject extends ApiObject<"VlanRouter"> {
  readonly spec: RouterSpec;
  readonly status?: { readonly removed?: readonly string[] };
}

/** What a revision takes over from the router's spec, so that a node has it with the network. */
export function sharedBy({ podNetworks, cni }: RouterSpec): RouterSpec {
  return { podNetworks, ...(cni === undefined ? {} : { cni }) };
}

export interface PublicNetworkObject extends ApiObject<"PublicNetwork"> {
  readonly spec: NetworkSpec;
}

/** One node: `spec` is what it is told to carry, `status` what it has. The object's name is the node's name. */
export interface RouterNodeObject extends ApiObject<"RouterNode"> {
  readonly spec: RouterNodeSpec;
  readonly status?: RouterNodeStatus;
}

export interface RouterNodeSpec {
  /** Sorted by network name. */
  readonly networks: readonly AssignedRevision[];
}

/** A revision is the name of a ControllerRevision in the agent's namespace, `<network>-<hash>`. */
export interface AssignedRevision {
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
}

/** Content of a ControllerRevision: everything that a node needs to carry that version of the network. */
export interface NetworkRevisionData extends RouterSpec {
  readonly network: string;
  readonly uid: string;
  readonly spec: NetworkSpec;
}

export interface RouterNodeStatus {
  readonly agent: { readonly version: string; readonly image: string };
  /** RFC 3339; renewed every 30 s. */
  readonly heartbeatTime: string;
  /** What belongs to no network of the node. Absent: nothing. */
  readonly conditions?: readonly Condition[];
  /** What other programs have on the node that a new network could meet; absent before agents wrote it. */
  readonly foreign?: ForeignObjects;
  /** Sorted by name. */
  readonly networks: readonly NetworkStatus[];
}

export interface ForeignObjects {
  /** VXLAN and VLAN interfaces, and those with a name of ours; sorted by name, and no more than an object can hold. */
  readonly interfaces: readonly ForeignInterface[];
  /** How many of them there is no room for. */
  readonly omittedInterfaces: number;
  /** Routing tables that rules look up for packets of any source; sorted. */
  readonly tables: readonly number[];
}

export interface ForeignInterface {
  readonly name: string;
  readonly kind?: string;
  readonly vni?: number;
  /** UDP. */
  readonly port?: number;
  /** Metadata mode: every VNI of the port is taken. */
  readonly external?: true;
  readonly parent?: string;
  readonly vlanId?: number;
  /** The bridge, bond or VRF of which it is a part. */
  readonly master?: string;
}

export interface NetworkStatus {
  readonly name: string;
  readonly uid: string;
  /** The revision whose plan was applied last, whole. */
  readonly revision: string;
  readonly interface: {
    readonly name: string;
    readonly state: "up" | "down" | "missing";
    readonly mac?: string;
    readonly mtu?: number;
    readonly local?: string;
    /** UDP port of the tunnel, which must be the same on all VTEPs. */
    readonly port?: number;
  };
  readonly tables: readonly number[];
  readonly sessions: readonly SessionStatus[];
  /** Addresses that this node answers for now. */
  readonly addresses: readonly string[];
  /** How many machines behind the bridge it announces with their own MACs: there can be more than an object can list. */
  readonly bridgedHosts?: number;
  readonly conditions: readonly Condition[];
  /** What differs from the plan and could not be repaired. */
  readonly drift: readonly string[];
  /** How many times something of this network was put right after somebody else changed it. */
  readonly repairs: number;
}

/** States of RFC 4271 section 8.2.2. */
export type SessionState = "Idle" | "Connect" | "Active" | "OpenSent" | "OpenConfirm" | "Established";

/** RFC 5880 section 4.1. */
export type BfdState = "AdminDown" | "Down" | "Init" | "Up";

export interface SessionStatus {
  readonly peer: string;
  /** What it comes from, where that is not the tunnel's address. */
  readonly local?: string;
  readonly state: SessionState;
  /** Absent where BFD is off or has not begun. */
  readonly bfd?: BfdState;
  /** RFC 3339: since when the session is in or out of Established. */
  readonly since: string;
  /** The last error, for people. */
  readonly lastError?: string;
}

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly lastTransitionTime: string;
}
