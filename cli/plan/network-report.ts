import {
  type Configuration,
  conditionRemedy,
  configurationCommands,
  markMaskOf,
  type NodeFacts,
  networkCommands,
  type PlanCondition,
  planNode,
} from "../../model/index.js";
import { configuredNumbers, type NetworkNumbers, plannedNumbers } from "./network-numbers.js";

/** What the command says about one network. */
export interface NetworkReport {
  readonly numbers: NetworkNumbers;
  /** Whether the node carries it; without a node every network is as its configuration says. */
  readonly state: "configured" | "planned" | "unplanned" | "notSelected";
  /** Make the network on a node that does not have it yet, in order. */
  readonly commands: readonly string[];
  readonly conditions: readonly ReportedCondition[];
}

export interface ReportedCondition extends PlanCondition {
  /** What an operator can do, where the message does not end with it. */
  readonly remedy?: string;
}

/** As the configuration alone gives the networks, in its order. */
export function configuredNetworks({ podNetworks, cni, networks }: Configuration): readonly NetworkReport[] {
  return networks.map((network) => ({
    numbers: configuredNumbers(network, markMaskOf(cni)),
    state: "configured",
    commands: configurationCommands(network, podNetworks, cni),
    conditions: [],
  }));
}

/** As this node carries the networks, in the configuration's order. */
export function plannedNetworks(configuration: Configuration, facts: NodeFacts): readonly NetworkReport[] {
  const plan = planNode(configuration, facts);
  const planned = new Map(plan.networks.map((network) => [network.network, network]));
  const unplanned = new Map(plan.unplanned.map((network) => [network.network, network]));
  return configuration.networks.map((network): NetworkReport => {
    const carried = planned.get(network.name);
    if (carried !== undefined) {
      return {
        numbers: plannedNumbers(network, carried),
        state: "planned",
        commands: networkCommands(carried),
        conditions: (carried.conditions ?? []).map(withRemedy),
      };
    }
    const missing = unplanned.get(network.name);
    if (missing !== undefined) {
      return {
        numbers: plannedNumbers(network, missing),
        state: "unplanned",
        commands: [],
        conditions: [withRemedy(missing.condition)],
      };
    }
    const numbers = configuredNumbers(network, markMaskOf(configuration.cni));
    return { numbers, state: "notSelected", commands: [], conditions: [] };
  });
}

function withRemedy(condition: PlanCondition): ReportedCondition {
  const remedy = conditionRemedy(condition);
  return { ...condition, ...(remedy === undefined ? {} : { remedy }) };
}
