import type { ReadResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { lacksByNode, type NodeLacks } from "../node-lack.js";
import { agentLacks } from "./agent-lacks.js";
import type { AgentRolloutInputs, AgentRolloutOutputs } from "./state.js";

/** Which nodes do not run the wanted agent now, and what agents say of their nodes, as deviations of the input `drift`. */
export async function readAgents(
  environment: Environment,
  id: string,
  held: AgentRolloutOutputs,
): Promise<ReadResult<AgentRolloutInputs, AgentRolloutOutputs>> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  const [nodes, routerNodes] = await Promise.all([client.nodes(), client.routerNodes()]);
  const { lacks, conditions, away, running } = agentLacks(held.image, nodes, routerNodes, environment.now());
  const drift = lacksByNode([
    ...[...new Set([...Object.keys(lacks), ...Object.keys(conditions)])].map((name): [string, NodeLacks] => [
      name,
      { ...lacks[name], ...conditions[name] },
    ]),
    ...away.map((node): [string, { readonly node: string }] => [node, { node: "NotReady" }]),
  ]);
  const { schemaVersion: _schemaVersion, nodes: _nodes, ...inputs } = held;
  return { id, inputs: { ...inputs, drift }, props: { ...held, drift, nodes: running } };
}
