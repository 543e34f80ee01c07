import { apiGroup, nodesFinalizer } from "../../../model/index.js";
import { type ApiClient, ApiError } from "./api-client.js";
import type { RolloutAction } from "./rollout.js";
import { controllerRevision } from "./stored-revision.js";

const group = `/apis/${apiGroup}/v1alpha1`;
const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

/** Does one action. An object that is gone, or already there, is what the action wanted. */
export async function executeRolloutAction(client: ApiClient, namespace: string, action: RolloutAction): Promise<void> {
  const revisions = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
  switch (action.kind) {
    case "add-finalizer":
    case "remove-finalizer": {
      const { name, finalizers = [], resourceVersion } = action.network.metadata;
      const next = finalizers.filter((finalizer) => finalizer !== nodesFinalizer);
      // A merge patch replaces the whole list: the version guards the finalizers of others.
      const metadata = {
        finalizers: action.kind === "add-finalizer" ? [...next, nodesFinalizer] : next,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const path = `${group}/publicnetworks/${name}`;
      await unless(404, client.request({ method: "PATCH", path, contentType: mergePatch, body: { metadata } }));
      return;
    }
    case "create-revision": {
      const body = controllerRevision(action.revision, namespace);
      await unless(409, client.request({ method: "POST", path: revisions, body }));
      return;
    }
    case "delete-revision":
      await unless(404, client.request({ method: "DELETE", path: `${revisions}/${action.name}` }));
      return;
    case "record-removed": {
      const { name, resourceVersion } = action.router.metadata;
      const body = {
        ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
        status: { removed: action.removed },
      };
      await client.request({
        method: "PATCH",
        path: `${group}/vlanrouters/${name}/status`,
        contentType: mergePatch,
        body,
      });
      return;
    }
    case "assign": {
      const path = `${group}/routernodes/${action.node}`;
      const unchanged =
        action.generation === undefined ? [] : [{ op: "test", path: "/metadata/generation", value: action.generation }];
      const body = [...unchanged, { op: "add", path: "/spec", value: { networks: action.networks } }];
      await unless(404, client.request({ method: "PATCH", path, contentType: jsonPatch, body }));
      return;
    }
  }
}

async function unless(status: number, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === status)) {
      throw error;
    }
  }
}
