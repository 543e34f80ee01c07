import {
  type Configuration,
  configurationCommands,
  markMaskOf,
  type NamedNetwork,
  type NetworkCondition,
  type NodeFacts,
  type NodePlan,
  networkCommands,
  networkCondition,
  nodeNetworks,
} from "../../model/index.js";
import { configuredNumbers, type NetworkNumbers, plannedNumbers, unassignedNumbers } from "./network-numbers.js";

/** What the command says about one network. */
export interface NetworkReport {
  readonly numbers: NetworkNumbers;
  /** Whether the node carries it; without a node every network is as its configuration says. */
  readonly state: "configured" | "planned" | "unplanned" | "notSelected";
  /** Make the network on a node that does not have it yet, in order. */
  readonly commands: readonly string[];
  /** One at least where the node does not carry it. */
  readonly conditions: readonly NetworkCondition[];
}

/** As the configuration alone gives the networks, in its order. */
export function configuredNetworks({ podNetworks, cni, networks }: Configuration): readonly NetworkReport[] {
  const underlays = nodeNetworks(networks);
  return networks.map((network) => ({
    numbers: configuredNumbers(network, markMaskOf(cni)),
    state: "configured",
    commands: configurationCommands(network, podNetworks, cni, underlays),
    conditions: [],
  }));
}

/** As this node carries the networks, in the configuration's order. */
export function plannedNetworks(
  { networks }: Configuration,
  plan: NodePlan,
  { labels }: Pick<NodeFacts, "labels">,
): readonly NetworkReport[] {
  const planned = new Map(plan.networks.map((network) => [network.network, network]));
  const unplanned = new Map(plan.unplanned.map((network) => [network.network, network]));
  return networks.map((network): NetworkReport => {
    const carried = planned.get(network.name);
    if (carried !== undefined) {
      return {
        numbers: plannedNumbers(network, carried),
        state: "planned",
        commands: networkCommands(carried),
        conditions: (carried.conditions ?? []).map((condition) => networkCondition(network.name, condition)),
      };
    }
    const missing = unplanned.get(network.name);
    return {
      numbers: unassignedNumbers(network),
      state: missing === undefined ? "notSelected" : "unplanned",
      commands: [],
      conditions: [
        missing === undefined ? notSelected(network, labels) : networkCondition(network.name, missing.condition),
      ],
    };
  });
}

function notSelected({ name, nodeSelector = {} }: NamedNetwork, labels: NodeFacts["labels"]): NetworkCondition {
  const differing = Object.entries(nodeSelector)
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) => {
      const has = labels[key];
      return `${key}=${value} (the node has ${has === undefined ? "no such label" : `${key}=${has}`})`;
    });
  return { network: name, reason: "NotSelected", message: `nodeSelector wants ${differing.join(" and ")}` };
}
