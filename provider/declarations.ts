import { hasUnknown } from "../model/index.js";
import type { CheckedCluster } from "./ask-cluster.js";
import type { ClusterReference } from "./kubernetes/credential-source.js";

/** A resource of the program that has been checked. */
export interface Declaration extends CheckedCluster {
  readonly cluster: ClusterReference;
  readonly owner: string;
}

/**
 * The resources of one kind in one program, as far as they have been checked. A provider process serves one run of one
 * program, so two that are both new meet here: the cluster has neither yet.
 */
export class Declarations<Declared extends Declaration> {
  private readonly byOwner = new Map<string, Declared>();

  /** Whether the program declares a resource of this owner. */
  declares(owner: string): boolean {
    return this.byOwner.has(owner);
  }

  /** Remembers a resource, and returns those of the same cluster that were checked before it. */
  declare(declared: Declared): readonly Declared[] {
    if (hasUnknown([declared.cluster, declared.owner])) return [];
    this.byOwner.set(declared.owner, declared);
    return [...this.byOwner.values()].filter(
      (other) => other.owner !== declared.owner && isSameCluster(other, declared),
    );
  }
}

/** By its uid where both could ask it: one kubeconfig may be given by its path and by its content. */
function isSameCluster(one: Declaration, other: Declaration): boolean {
  return (
    JSON.stringify(one.cluster) === JSON.stringify(other.cluster) ||
    (one.clusterUid !== undefined && one.clusterUid === other.clusterUid)
  );
}
