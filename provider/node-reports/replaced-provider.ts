import { isDeepStrictEqual } from "node:util";
import { hasUnknown } from "../../model/index.js";
import { type CheckFailure, checkFailure } from "../check-failure.js";
import { clusterEntry } from "../kubernetes/cluster-entry.js";
import { clusterIdentifier } from "../kubernetes/cluster-identifier.js";
import { type ClusterReference, credentialSources } from "../kubernetes/credential-source.js";
import type { NodeReportsArguments, NodeReportsInputs } from "./state.js";

const consequence =
  "the engine would replace it, and with it every object of the router: it would delete as originals the objects that it has just " +
  "written under the same names, the agents of every node among them";

/**
 * Why an update must not begin that replaces Pulumi's Kubernetes provider of the router's objects, and what to do; none when it
 * does not. The engine would delete each object after making it anew, and of objects with fixed names that is the same one.
 * @param olds what the state holds; nothing for a new router
 */
export function replacedProvider(
  olds: Partial<NodeReportsInputs>,
  news: NodeReportsArguments,
): readonly CheckFailure[] {
  const { cluster, objectsProvider: held } = olds;
  const { objectsProvider: wanted } = news;
  if (cluster === undefined || wanted === undefined) return [];
  if ("clusterIdentifier" in wanted) {
    // A provider that already has the identifier is never replaced; one gets it without being replaced when nothing else changes.
    if (held !== undefined || hasUnknown([cluster, news.cluster])) return [];
    return isSameEntry(cluster, news.cluster)
      ? []
      : [
          checkFailure(
            "cluster.kubeconfig",
            "an earlier version of this package made the stack's Kubernetes provider, and with another address, certificate or option of the " +
              `cluster ${consequence}. Run one update with the kubeconfig as it was, which marks the provider, and change it then`,
          ),
        ];
  }
  if (held === undefined || "clusterIdentifier" in held || held.urn !== wanted.urn || !hasUnknown(wanted.id)) {
    return [];
  }
  return [
    checkFailure(
      "provider",
      `this update makes another Kubernetes provider of the one that the program gives: ${consequence}. Give it ` +
        `clusterIdentifier: "${clusterIdentifier}" in an update of its own, with the kubeconfig as it was; change that in the next`,
    ),
  ];
}

/** Without an entry on either side the plugin replaces nothing (pulumi/pulumi-kubernetes, getActiveClusterFromConfig). */
function isSameEntry(one: ClusterReference, other: ClusterReference): boolean {
  const [before, after] = [one, other].map((reference) => {
    // What is no text is refused by whoever asks the cluster.
    if (typeof reference.kubeconfig !== "string") return undefined;
    const [source] = credentialSources(reference, "program", {}, "");
    return source === undefined ? undefined : clusterEntry(source);
  });
  return before === undefined || after === undefined || isDeepStrictEqual(before, after);
}
