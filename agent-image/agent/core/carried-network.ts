import type { NetworkSpec, RouterSpec } from "../../../model/index.js";

/** A network that this node carries: one revision, whole. */
export interface CarriedNetwork extends RouterSpec {
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  readonly spec: NetworkSpec;
  /** Why the network is kept although nothing in the cluster asks for it as it stands; absent when all is in order. */
  readonly notice?: CarryNotice;
}

export interface CarryNotice {
  /** The condition's type and reason, in CamelCase. */
  readonly type: "Orphaned" | "RevisionInvalid" | "RevisionMissing";
  readonly reason: string;
  readonly message: string;
}

/** What a node carries, and what it knows to be removed; kept on the node as the last good configuration. */
export interface Carried {
  /** Sorted by name. */
  readonly networks: readonly CarriedNetwork[];
  /**
   * Uids that were seen in deletion: an assignment or a copy of such a network that turns up later is stale. Sorted.
   */
  readonly removedUids: readonly string[];
}

/** A network that is told to the node and of which no version can be carried. */
export interface UnusableNetwork {
  readonly name: string;
  readonly uid: string;
  readonly revision: string;
  readonly notice: CarryNotice;
}

export const nothingCarried: Carried = { networks: [], removedUids: [] };
