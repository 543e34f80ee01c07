import { hasUnknown } from "../model/index.js";
import { type CheckFailure, checkFailure } from "./check-failure.js";
import type { Environment } from "./environment.js";
import type { ClusterReference } from "./kubernetes/credential-source.js";
import type { KubernetesClient } from "./kubernetes/kubernetes-client.js";
import { KubernetesError, type KubernetesErrorKind } from "./kubernetes/kubernetes-error.js";

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
  /** What must be mended in the program or its credentials, or that another cluster answers than that of the resource. */
  readonly failures: readonly CheckFailure[];
}

/**
 * The argument that is to be mended; nothing where the cluster is only away for now. Whatever answers, but not as an API server
 * does, is a wrong address in the kubeconfig.
 */
const mendedArguments: Readonly<Record<KubernetesErrorKind, string | undefined>> = {
  unreachable: undefined,
  busy: undefined,
  kubeconfig: "cluster.kubeconfig",
  context: "cluster.context",
  unauthorized: "cluster.kubeconfig",
  anotherCluster: "cluster",
  notFound: "cluster.kubeconfig",
  conflict: "cluster.kubeconfig",
  refused: "cluster.kubeconfig",
};

/**
 * Asks the cluster in a check. One that cannot be reached is no failure: a preview works without it, and deployment asks again.
 * All resources of a cluster meet the same then, so it is told once.
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
    if (!(error instanceof KubernetesError)) throw error;
    const path = mendedArguments[error.kind];
    if (path !== undefined) return { checked, failures: [checkFailure(path, error.message)] };
    environment.logOnce(
      JSON.stringify(cluster),
      `cluster: warning: what it already has, and whether its VlanRouter is of another stack, is found only at deployment, because ${error.message}`,
    );
    return { checked, failures: [] };
  }
}
