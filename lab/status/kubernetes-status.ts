import type { Lab } from "../lab.js";
import { locateToolchain } from "../toolchain/index.js";

export interface NodeStatus {
  readonly name: string;
  readonly ready: boolean;
}

export interface PodStatus {
  readonly namespace: string;
  readonly name: string;
  /** Empty as long as the pod has no node. */
  readonly node: string;
  readonly phase: string;
  readonly ready: boolean;
}

export interface KubernetesStatus {
  readonly nodes: readonly NodeStatus[];
  readonly pods: readonly PodStatus[];
}

/** A stopped API server must not hang the status. */
const REQUEST_TIMEOUT = "--request-timeout=5s";

/** @throws When the API server does not answer. */
export async function kubernetesStatus(lab: Lab): Promise<KubernetesStatus> {
  const kubectl = [locateToolchain().path("kubectl"), REQUEST_TIMEOUT];
  const { stdout } = await lab.admin([...kubectl, "get", "nodes,pods", "--all-namespaces", "--output=json"]);
  return parseKubernetes(stdout);
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Reads `kubectl get nodes,pods --output=json`. */
export function parseKubernetes(json: string): KubernetesStatus {
  const { items } = JSON.parse(json) as { readonly items: readonly KubernetesObject[] };
  const ready = ({ status }: KubernetesObject) =>
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false;
  return {
    nodes: items
      .filter(({ kind }) => kind === "Node")
      .map((node) => ({ name: node.metadata.name, ready: ready(node) })),
    pods: items
      .filter(({ kind }) => kind === "Pod")
      .map((pod) => ({
        namespace: pod.metadata.namespace ?? "",
        name: pod.metadata.name,
        node: pod.spec?.nodeName ?? "",
        phase: pod.status?.phase ?? "Unknown",
        ready: ready(pod),
      })),
  };
}
