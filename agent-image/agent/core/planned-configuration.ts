import type { Configuration, NamedNetwork } from "../../../model/index.js";
import type { CarriedNetwork } from "../cluster/carried-networks.js";

/**
 * The configuration to plan for. Each network comes with the pod networks of its revision; the exceptions are shared by
 * all networks of a node, so they are the union. Whether a network is for this node was decided before: its
 * nodeSelector does not count again, or a node that starts without the API server and does not know its labels would
 * drop it.
 */
export function plannedConfiguration(networks: readonly CarriedNetwork[]): Configuration {
  return {
    podNetworks: [...new Set(networks.flatMap(({ podNetworks }) => podNetworks))].sort(),
    networks: networks.map(({ name, spec }): NamedNetwork => {
      const { nodeSelector: _, ...unselective } = spec;
      return { ...unselective, name };
    }),
  };
}
