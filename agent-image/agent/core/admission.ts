import { checkNetworks, type NamedNetwork, type PlanCondition, renderMistake } from "../../../model/index.js";
import type { CarriedNetwork } from "./carried-network.js";

export interface Admission {
  /** Sorted by name; a network whose new revision is refused stands here with the revision that it had. */
  readonly admitted: readonly CarriedNetwork[];
  /** By name of the network: why its wanted revision cannot be carried beside the others. */
  readonly refused: ReadonlyMap<string, readonly PlanCondition[]>;
}

/**
 * Networks that are objects of their own may each be right and yet clash (a table, a segment, a session's parameters).
 * What the node carries goes before what is new, revision by revision: a bad revision of one network never pushes out
 * another, and falls back to what was carried before it.
 *
 * @param kept what the node carried last
 */
export function admitNetworks(wanted: readonly CarriedNetwork[], kept: readonly CarriedNetwork[]): Admission {
  const before = new Map(kept.map((network) => [network.uid, network]));
  const fallenBack = new Map<string, readonly PlanCondition[]>();
  for (;;) {
    const candidates = wanted.map(
      (network) => (fallenBack.has(network.name) ? before.get(network.uid) : network) ?? network,
    );
    const { admitted, refused } = admitInOrder(candidates, before);
    const back = wanted.find(({ name, uid }) => refused.has(name) && before.has(uid) && !fallenBack.has(name));
    if (back === undefined) {
      return { admitted, refused: new Map([...refused, ...fallenBack]) };
    }
    // Its old revision goes first now, and others are examined against it.
    fallenBack.set(back.name, refused.get(back.name) ?? []);
  }
}

function admitInOrder(networks: readonly CarriedNetwork[], before: ReadonlyMap<string, CarriedNetwork>): Admission {
  const rank = ({ uid, revision }: CarriedNetwork): number => {
    const known = before.get(uid);
    return known === undefined ? 2 : known.revision === revision ? 0 : 1;
  };
  const order = [...networks].sort((one, other) => rank(one) - rank(other) || compareNames(one, other));
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
  return { admitted: admitted.sort(compareNames), refused };
}

function compareNames(one: CarriedNetwork, other: CarriedNetwork): number {
  return one.name < other.name ? -1 : 1;
}

function named({ name, spec }: CarriedNetwork): NamedNetwork {
  return { ...spec, name };
}
