import type { Environment } from "../environment.js";
import { PlainError } from "../plain-error.js";
import type { AgentRolloutOutputs } from "./state.js";

/**
 * Comes before the DaemonSet's deletion, and refuses it while networks exist: without agents nobody would remove them
 * from the nodes.
 */
export async function releaseAgents(environment: Environment, held: AgentRolloutOutputs): Promise<void> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  const networks = (await client.publicNetworks()).map(({ metadata }) => metadata.name).sort();
  if (networks.length === 0) return;
  throw new PlainError(
    `the agents are still needed: the cluster has the public networks ${networks.join(", ")}, which only agents can remove from the nodes. ` +
      `Remove these networks first (from the stacks that own them, see the annotation vlan-router.io/owner)`,
  );
}
