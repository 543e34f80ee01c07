import { hasUnknown, sharedPoolAddresses } from "../../model/index.js";
import type { ClusterReference } from "../kubernetes/credential-source.js";
import type { AddressPool } from "./address-pool.js";

/** A network whose pool has been checked. */
export interface DeclaredPool {
  readonly cluster: ClusterReference;
  /** Of the network. */
  readonly name: string;
  readonly owner: string;
  readonly pool: AddressPool;
}

/**
 * The pools of one program, as far as they have been checked. A provider process serves one run of one program, so those of
 * two networks that are both new meet here: the cluster has neither yet, and nested prefixes are no mistake of the networks.
 */
export class DeclaredPools {
  private readonly byOwner = new Map<string, DeclaredPool>();

  /** Remembers a pool, and says why it cannot stand beside one that was checked before; nothing when it can. */
  declare(declared: DeclaredPool): string | undefined {
    const { cluster, name, owner, pool } = declared;
    if (hasUnknown([cluster, owner, pool.addresses])) return undefined;
    this.byOwner.set(owner, declared);
    for (const other of this.byOwner.values()) {
      if (other.owner === owner || JSON.stringify(other.cluster) !== JSON.stringify(cluster)) continue;
      const shared = sharedPoolAddresses(pool.addresses, other.pool.addresses);
      if (shared === undefined) continue;
      return (
        `${shared} of network ${name} overlaps the pool of network ${other.name} (${other.pool.addresses.join(", ")}) in this program, ` +
        "and MetalLB takes no address in two pools; write addressPool.addresses in one of them, so that no address is in both"
      );
    }
    return undefined;
  }
}
