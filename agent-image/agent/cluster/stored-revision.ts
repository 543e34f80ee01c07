import type { NetworkRevisionData } from "../../../model/index.js";
import type { KubernetesObject } from "../addresses/metallb-objects.js";
import type { StoredRevision } from "./rollout.js";

/** Tells our ControllerRevisions from others in the namespace (a DaemonSet keeps its own there). */
export const networkLabel = "vlan-router.io/network";

/** apps/v1 ControllerRevision: immutable content under a name, made for this purpose. */
export interface ControllerRevisionObject extends KubernetesObject {
  readonly apiVersion: "apps/v1";
  readonly kind: "ControllerRevision";
  readonly revision: number;
  readonly data: NetworkRevisionData;
}

export function controllerRevision(stored: StoredRevision, namespace: string): ControllerRevisionObject {
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: stored.name, namespace, labels: { [networkLabel]: stored.data.network } },
    revision: stored.revision,
    data: stored.data,
  };
}

export function storedRevision({ metadata, revision, data }: ControllerRevisionObject): StoredRevision {
  return { name: metadata.name, revision, data };
}
