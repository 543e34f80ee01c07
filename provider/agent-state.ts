import { isHeard, type RouterNodeObject } from "../model/index.js";
import type { ClusterNode } from "./kubernetes/kubernetes-client.js";

export type AgentState =
  /** Kubernetes itself does not hear from the node. */
  | { readonly kind: "away" }
  /** No agent has reported from this node yet. */
  | { readonly kind: "missing" }
  | { readonly kind: "silent" }
  | { readonly kind: "reporting"; readonly status: NonNullable<RouterNodeObject["status"]> };

/** Whether a node's agent can be believed now. */
export function agentState(node: ClusterNode, report: RouterNodeObject | undefined, now: number): AgentState {
  if (!node.ready) return { kind: "away" };
  if (report?.status === undefined) return { kind: "missing" };
  const { status } = report;
  return isHeard(status.heartbeatTime, now) ? { kind: "reporting", status } : { kind: "silent" };
}

/** The agent's image is for Linux alone, so its DaemonSet and these checks leave other nodes out. */
export const operatingSystemLabel = "kubernetes.io/os";

/** Nodes that can run the agent. A node without the label is new: its kubelet sets the label when it registers. */
export function runsAgent(node: ClusterNode): boolean {
  const system = node.labels[operatingSystemLabel];
  return system === undefined || system === "linux";
}
