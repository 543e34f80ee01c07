import type { Lab } from "../lab.js";
import { nodeNames } from "../topology.js";
import { type KubernetesStatus, kubernetesStatus } from "./kubernetes-status.js";
import { processStatuses } from "./process-status.js";

/** Whether nothing is left to do on a lab that was made with Kubernetes: what was started runs, and what runs is ready. */
export async function isHealthy(lab: Lab): Promise<boolean> {
  if (processStatuses(lab).some(({ pid }) => pid === undefined)) return false;
  try {
    return kubernetesIsHealthy(await kubernetesStatus(lab));
  } catch {
    // An API server that does not answer; the repair that follows tells why.
    return false;
  }
}

/** All nodes are Ready, and so are all pods, of which there are some; those that have done their work count too. */
export function kubernetesIsHealthy({ nodes, pods }: KubernetesStatus): boolean {
  const readyNodes = nodes.filter(({ ready }) => ready).map(({ name }) => name);
  return (
    nodeNames.every((name) => readyNodes.includes(name)) &&
    pods.length > 0 &&
    pods.every(({ ready, phase }) => ready || phase === "Succeeded")
  );
}
