import { type NetworkContext, parseNetwork, renderMistake, routerName } from "../../model/index.js";
import { cnisOf } from "../cnis-of-nodes.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";

/**
 * Numbers of a network that belong to the CNI which the nodes run, where nobody declares it. Only warnings: what a node
 * says of its CNI is a hint, and a declared `cni` makes mistakes of them.
 * @param source the network as the program gives it
 */
export function undeclaredCniWarnings(
  source: unknown,
  context: NetworkContext,
  nodes: readonly ClusterNode[],
): readonly string[] {
  if (context.cni !== undefined) return [];
  return cnisOf(nodes).flatMap((cni) => {
    const parsed = parseNetwork(source, { ...context, cni });
    if (parsed.ok) return [];
    const found = parsed.mistakes.map(renderMistake).join("; ");
    return [`nodes run ${cni}, and VlanRouter/${routerName} names no cni; with "cni: ${cni}" it says: ${found}`];
  });
}
