import type { NamedNetwork } from "../../model/index.js";
import type { Environment } from "../environment.js";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { PlainError } from "../plain-error.js";
import { waitUntil } from "../wait-until.js";
import { movingClashes } from "./cluster-clashes.js";
import { type ClusterView, clusterView } from "./cluster-view.js";
import type { NetworkStateInputs } from "./state.js";

/** A session of the giver that is out keeps nothing of what it has given up. */
const sessionGraceMs = Number.POSITIVE_INFINITY;

/**
 * Waits until networks of this program have given up what this one takes over from them in the same update, in the cluster and on
 * their nodes: until then a node would be told two networks that cannot stand beside each other.
 * @param givers names of these networks, whose updates are under way
 * @throws PlainError when the deadline has passed; nothing was applied then
 */
export async function awaitGivers(
  environment: Environment,
  client: KubernetesClient,
  { name, spec, timeoutSeconds }: NetworkStateInputs,
  givers: readonly string[],
  deadlineMs: number,
): Promise<void> {
  if (givers.length === 0) return;
  const network = { ...spec, name };
  const waited = await waitUntil<undefined>(environment, deadlineMs, async () => {
    const views = await Promise.all(
      givers.map((giver) => clusterView(client, giver, environment.now(), () => sessionGraceMs)),
    );
    const left = views.flatMap((view) => notGivenUp(network, view) ?? []);
    if (left.length === 0) return { done: true, value: undefined };
    return { done: false, progress: `network ${name}: waiting until ${left.join("; ")}` };
  });
  if (waited.done) return;
  throw new PlainError(
    `${waited.last}: not done after ${timeoutSeconds} s; nothing of it was applied, and "pulumi up" waits again`,
  );
}

function notGivenUp(network: NamedNetwork, view: ClusterView): string | undefined {
  if (view.kind === "absent") return undefined;
  const { name } = view.object.metadata;
  const [clash] = movingClashes(network, [view.object]);
  if (clash !== undefined) return `network ${name} has given up what ${clash.path} needs`;
  if (view.kind === "noRouter") return undefined;
  const nodes = Object.entries(view.found.lacks)
    .filter(([, lacks]) => ["revision", "agent", `network ${name}`].some((what) => what in lacks))
    .map(([node]) => node);
  return nodes.length === 0
    ? undefined
    : `${nodes.join(", ")} ${nodes.length === 1 ? "carries" : "carry"} network ${name} as it is now`;
}
