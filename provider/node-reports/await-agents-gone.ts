import { agentNamespace } from "../../model/index.js";
import type { Environment } from "../environment.js";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { PlainError } from "../plain-error.js";
import { waitUntil } from "../wait-until.js";

/** An agent ends within seconds; the rest is for a busy kubelet. */
const deadlineMs = 300_000;

/**
 * Waits until the agents' namespace has gone with all its pods. Only its kubelet says that a pod has ended, so the pods of a
 * node that is away would hold the namespace until the Node object goes (kubernetes/kubernetes#51333): they are deleted
 * without it, and a kubelet that returns ends the containers of pods that it does not find any more.
 * @throws PlainError that names the pods which are left
 */
export async function awaitAgentsGone(environment: Environment, client: KubernetesClient): Promise<void> {
  const waited = await waitUntil<undefined>(environment, deadlineMs, async () => {
    const pods = await client.endingPods(agentNamespace);
    if (pods === undefined) return { done: true, value: undefined };
    const nodes = pods.length === 0 ? [] : await client.nodes();
    const away = pods.filter((pod) => nodes.some(({ name, ready }) => name === pod.node && !ready));
    for (const pod of away) {
      await client.forgetPod(agentNamespace, pod);
      environment.log(`agents: ${pod.node} is not Ready in Kubernetes; its pod ${pod.name} is deleted without it`);
    }
    const left = pods
      .filter((pod) => !away.includes(pod))
      .map(({ name, node }) => (node === undefined ? name : `${name} on ${node}`))
      .sort();
    const object = `agents: waiting until namespace ${agentNamespace} has gone`;
    return { done: false, progress: left.length === 0 ? object : `${object}; it still has ${left.join(", ")}` };
  });
  if (waited.done) return;
  throw new PlainError(
    `${waited.last}: not done after ${deadlineMs / 1000} s. "kubectl get namespace ${agentNamespace} -o yaml" says what holds it; "pulumi destroy" waits again`,
  );
}
