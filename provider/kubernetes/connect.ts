import { apiClient } from "./api-client.js";
import { type CredentialSource, kubeconfigKey, kubeconfigVariable } from "./credential-source.js";
import type { KubernetesClient } from "./kubernetes-client.js";
import { KubernetesError, type KubernetesErrorKind } from "./kubernetes-error.js";
import { loadKubeconfig } from "./load-kubeconfig.js";
import { sharingReads } from "./shared-reads.js";

export interface Connection {
  readonly client: KubernetesClient;
  readonly clusterUid: string;
}

/** A client keeps its TLS connections, so the resources of one cluster share it. */
const clients = new Map<string, KubernetesClient>();

const orGone = 'or, if that cluster is gone for good, remove the resource with "pulumi state delete"';

const remedies = {
  program: (uid: string) =>
    `Give credentials of the cluster ${uid} (cluster.kubeconfig, stack configuration ${kubeconfigKey} or ${kubeconfigVariable}), ${orGone}`,
  // Without the program the engine configures providers with what the state holds of them.
  state: (uid: string) =>
    `Give credentials of the cluster ${uid}: "pulumi up" without --refresh takes those that the program names now; with --run-program the stack ` +
    `configuration ${kubeconfigKey} counts as it is now, without it as it was at the last update; ${kubeconfigVariable} counts for what the ` +
    `package itself reads and deletes; ${orGone}`,
} as const;

/**
 * Connects with the first credentials that lead to the expected cluster, or that lead anywhere when none is expected.
 * @param heldBy what names the cluster: it decides what a person can do
 * @throws KubernetesError that says for each source why it was not taken
 */
export async function connect(
  sources: readonly CredentialSource[],
  expectedUid?: string,
  heldBy: "program" | "state" = "program",
): Promise<Connection> {
  if (sources.length === 0) {
    throw new KubernetesError(
      "kubeconfig",
      `no credentials for the cluster: give cluster.kubeconfig to VlanRouter, set the stack configuration ${kubeconfigKey}, or set ${kubeconfigVariable}`,
    );
  }
  const failures: string[] = [];
  let kind: KubernetesErrorKind = "unreachable";
  for (const source of sources) {
    try {
      const client = clientOf(source);
      const clusterUid = await client.clusterUid();
      if (expectedUid === undefined || clusterUid === expectedUid) return { client, clusterUid };
      kind = "anotherCluster";
      failures.push(
        `${source.origin} leads to the cluster with uid ${clusterUid}, but the state was made in the cluster with uid ${expectedUid}`,
      );
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      // What somebody can mend says more than that another source did not answer.
      if (kind === "unreachable") kind = error.kind;
      failures.push(`${source.origin}: ${error.message}`);
    }
  }
  const remedy = expectedUid === undefined ? "" : `; nothing was changed. ${remedies[heldBy](expectedUid)}`;
  throw new KubernetesError(kind, `the cluster cannot be used: ${failures.join("; ")}${remedy}`);
}

function clientOf(source: CredentialSource): KubernetesClient {
  const key = JSON.stringify([source.kubeconfig, source.context]);
  const known = clients.get(key);
  if (known !== undefined) return known;
  const client = sharingReads(apiClient(loadKubeconfig(source)));
  clients.set(key, client);
  return client;
}
