import { checkNetworks, type NamedNetwork, type PlanCondition, renderMistake } from "../../../model/index.js";
import type { CarriedNetwork } from "../cluster/carried-networks.js";

export interface Admission {
  readonly admitted: readonly CarriedNetwork[];
  /** By name of the network: why it cannot be carried beside the others. */
  readonly refused: ReadonlyMap<string, readonly PlanCondition[]>;
}

/**
 * Networks that are objects of their own may each be right and yet clash (a table, a segment, a session's parameters).
 * Those that the node carries already go first, so that a new one cannot push out one that works; then by name.
 */
export function admitNetworks(networks: readonly CarriedNetwork[], carried: ReadonlySet<string>): Admission {
  const order = [...networks].sort(
    (one, other) => Number(carried.has(other.name)) - Number(carried.has(one.name)) || (one.name < other.name ? -1 : 1),
  );
  const admitted: CarriedNetwork[] = [];
  const refused = new Map<string, readonly PlanCondition[]>();
  for (const network of order) {
    const mistakes = checkNetworks([...admitted, network].map(named));
    if (mistakes.length === 0) {
      admitted.push(network);
    } else {
      refused.set(
        network.name,
        mistakes.map((mistake) => ({ reason: mistake.code, message: renderMistake(mistake) })),
      );
    }
  }
  return { admitted, refused };
}

function named({ name, spec }: CarriedNetwork): NamedNetwork {
  return { ...spec, name };
}
