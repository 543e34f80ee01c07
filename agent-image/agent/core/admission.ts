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
    const open = candidates.filter(({ name, uid }) => refused.has(name) && before.has(uid) && !fallenBack.has(name));
    if (open.length === 0) {
      return { admitted: admitted.toSorted(compareNames), refused: new Map([...refused, ...fallenBack]) };
    }
    // Their old revisions go first now, and others are examined against them.
    const firm = admitted.filter((network) => rankOf(network, before) === "carried");
    for (const [name, conditions] of fallBacks(open, firm, refused)) {
      fallenBack.set(name, conditions);
    }
  }
}

/**
 * All that clash with what the node carries already: nothing can change that any more. Where there is none, the first alone,
 * because the new revision that it clashes with may itself have to go.
 */
function fallBacks(
  open: readonly CarriedNetwork[],
  firm: readonly CarriedNetwork[],
  refused: ReadonlyMap<string, readonly PlanCondition[]>,
): readonly (readonly [name: string, conditions: readonly PlanCondition[]])[] {
  const final = open
    .map((network) => [network.name, clashes(firm, [network])] as const)
    .filter(([, conditions]) => conditions.length > 0);
  return final.length > 0 ? final : open.slice(0, 1).map(({ name }) => [name, refused.get(name) ?? []]);
}

const ranks = ["carried", "changed", "new"] as const;

function rankOf(
  { uid, revision }: CarriedNetwork,
  before: ReadonlyMap<string, CarriedNetwork>,
): (typeof ranks)[number] {
  const known = before.get(uid);
  return known === undefined ? "new" : known.revision === revision ? "carried" : "changed";
}

/**
 * Network by network each would be examined beside all before it, and a thousand of them a million times. What fits together
 * does so in any part, so the networks are examined many at once; only around one that does not fit are the parts small.
 */
function admitInOrder(networks: readonly CarriedNetwork[], before: ReadonlyMap<string, CarriedNetwork>): Admission {
  const rank = (network: CarriedNetwork) => ranks.indexOf(rankOf(network, before));
  const order = networks.toSorted((one, other) => rank(one) - rank(other) || compareNames(one, other));
  const admitted: CarriedNetwork[] = [];
  const refused = new Map<string, readonly PlanCondition[]>();
  let size = order.length;
  for (let next = 0; next < order.length; ) {
    const part = order.slice(next, next + size);
    const conditions = clashes(admitted, part);
    if (conditions.length > 0 && part.length > 1) {
      size = Math.ceil(part.length / 2);
      continue;
    }
    if (conditions.length === 0) {
      admitted.push(...part);
    } else {
      refused.set(part[0]?.name ?? "", conditions);
    }
    next += part.length;
    size = part.length * 2;
  }
  return { admitted, refused };
}

/** What is wrong between networks that fit together and others that are to stand beside them. */
function clashes(admitted: readonly CarriedNetwork[], others: readonly CarriedNetwork[]): readonly PlanCondition[] {
  return checkNetworks([...admitted, ...others].map(named)).map((mistake) => ({
    reason: mistake.code,
    message: renderMistake(mistake),
  }));
}

function compareNames(one: CarriedNetwork, other: CarriedNetwork): number {
  return one.name < other.name ? -1 : 1;
}

function named({ name, spec }: CarriedNetwork): NamedNetwork {
  return { ...spec, name };
}
