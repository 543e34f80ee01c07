import { agentNamespace } from "../../model/index.js";
import type { Environment } from "../environment.js";
import { clusterEntry, describeLacks } from "../node-lack.js";
import { PartialFailure } from "../partial-failure.js";
import { describeAway, isTolerated } from "../unreachable-nodes.js";
import { waitUntil } from "../wait-until.js";
import { type AgentLacks, agentLacks } from "./agent-lacks.js";
import { takeRouterBack } from "./router-drift.js";
import type { AgentRolloutInputs, AgentRolloutOutputs } from "./state.js";

/** There is one roll-out in a cluster, as there is one VlanRouter. */
const rolloutId = "agents";

/**
 * Waits until every node runs the wanted agent, after it has taken back what a refresh found added to the VlanRouter.
 * @param held what the state holds of the roll-out; nothing when it is created
 * @throws PartialFailure that names the nodes which do not, when the deadline has passed
 */
export async function awaitAgents(
  environment: Environment,
  inputs: AgentRolloutInputs,
  held?: AgentRolloutOutputs,
): Promise<{ readonly id: string; readonly outs: AgentRolloutOutputs }> {
  const { image, timeoutSeconds, tolerateUnreachable } = inputs;
  const { client, clusterUid } = await environment.connect(inputs.cluster, "program", held?.clusterUid);
  if (held !== undefined) await takeRouterBack(client, inputs, held.drift[clusterEntry]);
  let seen: AgentLacks = { lacks: {}, conditions: {}, away: [], running: [] };
  const awayOf = () => describeAway(seen.away, tolerateUnreachable, "its agent is updated when it returns");
  const missingOf = () => [
    ...describeLacks(seen.lacks),
    ...(isTolerated(seen.away, tolerateUnreachable) ? [] : awayOf()),
  ];
  const waited = await waitUntil<undefined>(environment, timeoutSeconds * 1000, async () => {
    const [nodes, routerNodes] = await Promise.all([client.nodes(), client.routerNodes()]);
    seen = agentLacks(image, nodes, routerNodes, environment.now());
    if (missingOf().length === 0) return { done: true, value: undefined };
    const total = seen.running.length + Object.keys(seen.lacks).length + seen.away.length;
    const counted = `agents: ${seen.running.length} of ${total} nodes run ${image}`;
    return { done: false, progress: [counted, ...describeLacks(seen.lacks), ...awayOf()].join("; ") };
  });
  const outs: AgentRolloutOutputs = { ...inputs, schemaVersion: 1, clusterUid, nodes: seen.running };
  if (waited.done) {
    for (const line of awayOf()) environment.log(`agents: ${line}`);
    environment.log(`agents: ${seen.running.length} nodes run ${image}`);
    // The networks that come next may have to wait for what these say.
    for (const line of describeLacks(seen.conditions)) environment.log(`agents: ${line}`);
    return { id: rolloutId, outs };
  }
  throw new PartialFailure(
    `the agent ${image} does not run on every node after ${timeoutSeconds} s; "kubectl -n ${agentNamespace} get pods -o wide" and "kubectl -n ${agentNamespace} describe pod" say why`,
    rolloutId,
    { ...outs },
    missingOf().length > 0 ? missingOf() : [waited.last],
  );
}
