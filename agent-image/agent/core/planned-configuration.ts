import { type Cni, type Configuration, markCapacity, markMaskOf, type NamedNetwork } from "../../../model/index.js";
import type { CarriedNetwork } from "./carried-network.js";

/**
 * The configuration to plan for. Each network comes with the pod networks of its revision; the exceptions are shared by
 * all networks of a node, so they are the union. While revisions differ in the CNI,
 * the one that leaves the fewest marks holds. Whether a network is for this node was decided before: its
 * nodeSelector does not count again, or a node that starts without the API server and does not know its labels would
 * drop it.
 */
export function plannedConfiguration(networks: readonly CarriedNetwork[]): Configuration {
  const left = (cni: Cni) => markCapacity(markMaskOf(cni));
  const [cni] = networks.flatMap(({ cni }) => cni ?? []).sort((one, other) => left(one) - left(other));
  return {
    ...(cni === undefined ? {} : { cni }),
    podNetworks: [...new Set(networks.flatMap(({ podNetworks }) => podNetworks))].sort(),
    networks: networks.map(({ name, spec }): NamedNetwork => {
      const { nodeSelector: _, ...unselective } = spec;
      return { ...unselective, name };
    }),
  };
}
