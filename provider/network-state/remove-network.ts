import { agentNamespace, ownerAnnotation, type PublicNetworkObject } from "../../model/index.js";
import type { Environment } from "../environment.js";
import { foreignObject, urnOf } from "../object-owner.js";
import { PlainError } from "../plain-error.js";
import { waitUntil } from "../wait-until.js";
import type { DeclaredNetworks } from "./declared-networks.js";
import type { NetworkStateOutputs } from "./state.js";

/**
 * Deletes the PublicNetwork object and waits until the nodes have removed the network: the object stays until its
 * finalizer is cleared. An object that is gone, or that another stack or another resource of the program has taken over, needs
 * nothing.
 */
export async function removeNetwork(
  environment: Environment,
  program: DeclaredNetworks,
  id: string,
  held: NetworkStateOutputs,
): Promise<void> {
  const { client } = await environment.connect(held.cluster, "state", held.clusterUid);
  const object = await client.publicNetwork(id);
  if (object === undefined) return;
  const foreign = foreignObject(object, held.owner, held) ?? successor(object, program, held.owner);
  if (foreign !== undefined) {
    environment.log(`network ${id} is left alone: ${foreign}`);
    return;
  }
  const { uid = "" } = object.metadata;
  await client.deletePublicNetwork(id, uid);
  let left: readonly string[] = [];
  const waited = await waitUntil<undefined>(environment, held.timeoutSeconds * 1000, async () => {
    const [now, routerNodes, nodes] = await Promise.all([
      client.publicNetwork(id),
      client.routerNodes(),
      client.nodes(),
    ]);
    const holders = routerNodes
      .filter(({ status }) => status?.networks.some((network) => network.uid === uid))
      .map(({ metadata }) => metadata.name)
      .sort();
    left = holders.filter((holder) => nodes.some(({ name, ready }) => name === holder && !ready));
    if (now === undefined || now.metadata.uid !== uid) return { done: true, value: undefined };
    const carrying = holders.map((holder) => (left.includes(holder) ? `${holder} (not Ready in Kubernetes)` : holder));
    return {
      done: false,
      progress:
        carrying.length > 0
          ? `network ${id}: waiting until it is removed from ${carrying.join(", ")}`
          : `network ${id}: removed from all nodes that report; waiting for the agents to release the object`,
    };
  });
  if (waited.done) {
    for (const node of left) {
      environment.log(`network ${id}: ${node} is not Ready in Kubernetes; it removes the network when it returns`);
    }
    environment.log(`network ${id}: removed from all ${left.length > 0 ? "other " : ""}nodes`);
    return;
  }
  throw new PlainError(
    `${waited.last}: not done after ${held.timeoutSeconds} s. Are the agents running ("kubectl -n ${agentNamespace} get pods")? ` +
      `"pulumi destroy" or "pulumi up" waits again`,
  );
}

/** The resource of this program that has taken the object over with `adopt`, as a sentence. */
function successor(
  { metadata: { annotations } }: PublicNetworkObject,
  program: DeclaredNetworks,
  owner: string,
): string | undefined {
  const found = annotations?.[ownerAnnotation];
  if (found === undefined || found === owner || !program.declares(found)) return undefined;
  return `${urnOf(found)} has taken it over`;
}
