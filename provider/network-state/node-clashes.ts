import { isDeepStrictEqual } from "node:util";
import { foreignClashes, type Mistake, type NamedNetwork, type NetworkSpec } from "../../model/index.js";
import type { ClusterFacts } from "./cluster-facts.js";
import { isSelected } from "./network-lacks.js";

/** Clashes with what other programs have on the nodes. */
export interface NodeClashes {
  /** What this change would bring. */
  readonly brought: readonly Mistake[];
  /** What the network meets already: it must not hold the changes beside it, and the nodes report it as conditions. */
  readonly standing: readonly Mistake[];
}

/** @param held the network as the state holds it; nothing for a new one */
export function nodeClashes(network: NamedNetwork, held: NetworkSpec | undefined, facts: ClusterFacts): NodeClashes {
  const clashes = clashesOnNodes(network, facts);
  const before = held === undefined ? [] : clashesOnNodes({ ...held, name: network.name }, facts);
  const stands = (clash: Mistake) => before.some((known) => isDeepStrictEqual(known, clash));
  return { brought: clashes.filter((clash) => !stands(clash)), standing: clashes.filter(stands) };
}

function clashesOnNodes(network: NamedNetwork, { nodes, routerNodes }: ClusterFacts): readonly Mistake[] {
  const selected = new Set(nodes.filter((node) => isSelected(node, network)).map(({ name }) => name));
  const held = routerNodes.flatMap(({ metadata: { name: node }, status }) =>
    status?.foreign === undefined || !selected.has(node) ? [] : [{ node, foreign: status.foreign }],
  );
  return foreignClashes(network, held);
}
