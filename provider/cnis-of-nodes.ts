import type { Cni } from "../model/index.js";
import type { ClusterNode } from "./kubernetes/kubernetes-client.js";

/** The CNIs that nodes say they run, each once. */
export function cnisOf(nodes: readonly ClusterNode[]): readonly Cni[] {
  return [...new Set(nodes.flatMap(({ cni }) => cni ?? []))].sort();
}
