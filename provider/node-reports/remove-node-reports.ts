import type { Environment } from "../environment.js";
import { awaitAgentsGone } from "./await-agents-gone.js";
import type { NodeReportsOutputs } from "./state.js";

/**
 * Deletes the RouterNode objects, after the agents that would make them again. One whose node still carries a network (it was
 * away when the networks were removed) stays: nothing else in the cluster says what is left there. It goes with its Node.
 */
export async function removeNodeReports(environment: Environment, held: NodeReportsOutputs): Promise<void> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  await awaitAgentsGone(environment, client);
  const reports = (await client.routerNodes()).toSorted((one, other) =>
    one.metadata.name < other.metadata.name ? -1 : 1,
  );
  for (const { metadata, status } of reports) {
    const { name, uid = "" } = metadata;
    const carried = (status?.networks ?? []).map((network) => network.name);
    if (carried.length === 0) await client.deleteRouterNode(name, uid);
    else {
      environment.log(
        `agents: ${name} was not heard when ${carried.join(", ")} went, and may still carry ${carried.length === 1 ? "it" : "them"}; its RouterNode stays as the record. ` +
          `When the node is back, run "vlan-router cleanup" on it, then "kubectl delete routernode ${name}"`,
      );
    }
  }
}
