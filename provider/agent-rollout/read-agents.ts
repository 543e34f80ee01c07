import type { ReadResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { clusterEntry, lacksByNode, type NodeLacks } from "../node-lack.js";
import { agentLacks } from "./agent-lacks.js";
import { routerDrift } from "./router-drift.js";
import type { AgentRolloutInputs, AgentRolloutOutputs } from "./state.js";

/**
 * Which nodes do not run the wanted agent now, what agents say of their nodes, and what somebody added to the VlanRouter, as
 * deviations of the input `drift`.
 */
export async function readAgents(
  environment: Environment,
  id: string,
  held: AgentRolloutOutputs,
): Promise<ReadResult<AgentRolloutInputs, AgentRolloutOutputs>> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  const [nodes, routerNodes, router] = await Promise.all([client.nodes(), client.routerNodes(), client.vlanRouter()]);
  const { lacks, conditions, away, running } = agentLacks(held.image, nodes, routerNodes, environment.now());
  const drift = lacksByNode([
    [clusterEntry, routerDrift(router, held)],
    ...[...new Set([...Object.keys(lacks), ...Object.keys(conditions)])].map((name): [string, NodeLacks] => [
      name,
      { ...lacks[name], ...conditions[name] },
    ]),
    ...away.map((node): [string, { readonly node: string }] => [node, { node: "NotReady" }]),
  ]);
  const { schemaVersion: _schemaVersion, nodes: _nodes, ...inputs } = held;
  return { id, inputs: { ...inputs, drift }, props: { ...held, drift, nodes: running } };
}
