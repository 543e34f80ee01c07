import { apiVersion, nodesFinalizer, ownerAnnotation, type PublicNetworkObject } from "../../model/index.js";
import type { NetworkStateInputs } from "./state.js";

/** The object as server-side apply sends it: exactly the fields that we own. */
export function desiredObject({
  name,
  owner,
  spec,
}: Pick<NetworkStateInputs, "name" | "owner" | "spec">): PublicNetworkObject {
  return {
    apiVersion,
    kind: "PublicNetwork",
    // The finalizer comes with the first write: an object deleted before any agent saw it must not leave a network behind.
    metadata: { name, finalizers: [nodesFinalizer], annotations: { [ownerAnnotation]: owner } },
    spec,
  };
}
