import { hasUnknown, type Mistake, type NamedNetwork, sharedPoolAddresses } from "../../model/index.js";
import type { AddressPool } from "./address-pool.js";
import { clashesBetween } from "./cluster-clashes.js";
import type { DeclaredNetwork } from "./declared-networks.js";

/** Clashes of a network with others of its program; paths are relative to the network. */
export function clashesInProgram(network: NamedNetwork, others: readonly DeclaredNetwork[]): readonly Mistake[] {
  const networks = others.map((other) => other.network);
  return clashesBetween(network, networks).map((mistake) => ({
    ...mistake,
    remedy: `${mistake.remedy} (the program declares both)`,
  }));
}

/**
 * Why the pool of a network cannot stand beside those of other networks of its program, and what to do; nothing when it can.
 * Nested prefixes are no mistake of the networks, so this alone tells of them.
 */
export function poolClashInProgram(
  name: string,
  { addresses }: AddressPool,
  others: readonly DeclaredNetwork[],
): string | undefined {
  if (hasUnknown(addresses)) return undefined;
  for (const { network, pool } of others) {
    if (pool === undefined || hasUnknown(pool.addresses)) continue;
    const shared = sharedPoolAddresses(addresses, pool.addresses);
    if (shared === undefined) continue;
    return (
      `${shared} of network ${name} overlaps the pool of network ${network.name} (${pool.addresses.join(", ")}) in this program, ` +
      "and MetalLB takes no address in two pools; write addressPool.addresses in one of them, so that no address is in both"
    );
  }
  return undefined;
}
