import type { V1NodeCondition } from "@kubernetes/client-node";
import type { Cni } from "../../model/index.js";

/**
 * Reasons that agents of a CNI give to the node's condition `NetworkUnavailable` when it is False. Flannel's are in
 * flannel-io/flannel pkg/subnet/kube, Cilium's in its option `set-cilium-is-up-condition`, Calico's in node/pkg/lifecycle;
 * the other CNIs leave no such sign.
 */
const reasons: ReadonlyMap<string, Cni> = new Map([
  ["CalicoIsUp", "calico"],
  ["CiliumIsUp", "cilium"],
  ["FlannelIsUp", "flannel"],
]);

/** The CNI that says of itself that it runs on a node. */
export function networkedBy(conditions: readonly V1NodeCondition[]): Cni | undefined {
  const network = conditions.find(({ type, status }) => type === "NetworkUnavailable" && status === "False");
  return reasons.get(network?.reason ?? "");
}
