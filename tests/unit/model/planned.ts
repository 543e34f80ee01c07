import {
  diffPlan,
  nodeFacts as factsOf,
  type NodePlan,
  type ObservedState,
  operationsOf,
  operationText,
  planNode,
  stateOfFacts,
} from "../../../model/index.js";
import { configurationOf, document, nodeFacts } from "./samples.js";

/** A node that carries nothing of ours. */
export const bare = stateOfFacts(nodeFacts());

export function planOf(network: unknown, state: ObservedState = bare): NodePlan {
  return planNode(configurationOf(document(network)), factsOf(state, "n1", {}));
}

/** What makes a node in this state carry the network. */
export function commandsTo(network: unknown, state: ObservedState): readonly string[] {
  return operationsOf(diffPlan(state, planOf(network, state))).map(operationText);
}
