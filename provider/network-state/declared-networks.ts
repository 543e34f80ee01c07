import { hasUnknown, type NamedNetwork } from "../../model/index.js";
import type { CheckedCluster } from "../ask-cluster.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";
import type { AddressPool } from "./address-pool.js";

/** A network of the program that has been checked. */
export interface DeclaredNetwork extends CheckedCluster {
  readonly cluster: ClusterReference;
  readonly owner: string;
  readonly network: NamedNetwork;
  readonly pool?: AddressPool;
}

/**
 * The networks of one program, as far as they have been checked. A provider process serves one run of one program, so two
 * networks that are both new meet here: the cluster has neither yet.
 */
export class DeclaredNetworks {
  private readonly byOwner = new Map<string, DeclaredNetwork>();
  private readonly held = new Set<string>();

  /**
   * Whether the state holds the network of this owner. One that is replaced is checked twice, and only the first check sees the
   * old inputs (pulumi/pulumi pkg/resource/deploy/step_generator.go).
   */
  holds(owner: string, seesOldInputs: boolean): boolean {
    if (seesOldInputs) this.held.add(owner);
    return this.held.has(owner);
  }

  /** Remembers a network, and returns those of the same cluster that were checked before it. */
  declare(declared: DeclaredNetwork): readonly DeclaredNetwork[] {
    if (hasUnknown([declared.cluster, declared.owner])) return [];
    this.byOwner.set(declared.owner, declared);
    return [...this.byOwner.values()].filter(
      (other) => other.owner !== declared.owner && isSameCluster(other, declared),
    );
  }
}

/** By its uid where both could ask it: one kubeconfig may be given by its path and by its content. */
function isSameCluster(one: DeclaredNetwork, other: DeclaredNetwork): boolean {
  return (
    JSON.stringify(one.cluster) === JSON.stringify(other.cluster) ||
    (one.clusterUid !== undefined && one.clusterUid === other.clusterUid)
  );
}
