import { hasUnknown } from "../model/index.js";
import type { CheckResult } from "./dynamic-result.js";
import type { Environment } from "./environment.js";
import type { ClusterReference } from "./kubernetes/credential-source.js";
import type { KubernetesClient } from "./kubernetes/kubernetes-client.js";
import { KubernetesError } from "./kubernetes/kubernetes-error.js";

/** The cluster of a resource, as its checked inputs name it: a check sees what the last one made of the inputs, and no outputs. */
export interface CheckedCluster {
  /** uid of the namespace kube-system; absent until a check has reached the cluster. */
  readonly clusterUid?: string;
}

/** What a check can know of a cluster. */
export interface ClusterAnswer<Facts> {
  /** For the inputs that the check returns. */
  readonly checked: CheckedCluster;
  /** Absent where the cluster could not be asked. */
  readonly facts?: Facts;
  /** Another cluster answers than the one in which the resource was made: nothing of it may be touched. */
  readonly failures: CheckResult<unknown>["failures"];
  /** Why the cluster could not be asked; absent where it is only made in the same update. */
  readonly unreached?: string;
}

/**
 * Asks the cluster in a check. One that cannot be reached is no failure: a preview works without it, and deployment asks again.
 * @param olds the inputs in the state; nothing for a new resource
 */
export async function askCluster<Facts>(
  environment: Environment,
  cluster: ClusterReference,
  { clusterUid: held }: CheckedCluster,
  ask: (client: KubernetesClient) => Promise<Facts>,
): Promise<ClusterAnswer<Facts>> {
  const checked = held === undefined ? {} : { clusterUid: held };
  if (hasUnknown(cluster)) return { checked, failures: [] };
  try {
    const { client, clusterUid } = await environment.connect(cluster, "program", held);
    return { checked: { clusterUid }, facts: await ask(client), failures: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof KubernetesError && error.kind === "anotherCluster") {
      return { checked, failures: [{ property: "cluster", reason }] };
    }
    return { checked, failures: [], unreached: reason };
  }
}
