import { type RouterSpec, routerName, sharedBy, type VlanRouterObject } from "../../model/index.js";
import { surplusDrift } from "../foreign-fields.js";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.js";
import type { NodeLacks } from "../node-lack.js";

const prefix = `VlanRouter ${routerName} `;

/**
 * Fields that somebody added to the VlanRouter object, with their writers. Pulumi's Kubernetes provider compares only those that it
 * applied itself, and the agents follow these too.
 */
export function routerDrift(router: VlanRouterObject | undefined, declared: RouterSpec): NodeLacks {
  const surplus = router === undefined ? {} : surplusDrift(router, sharedBy(declared));
  return Object.fromEntries(Object.entries(surplus).map(([path, found]) => [`${prefix}${path}`, found]));
}

/**
 * Removes such fields.
 * @param shown the drift that a refresh has found: what differs from it is left
 * @throws KubernetesError, a `conflict` where somebody writes the object meanwhile
 */
export async function takeRouterBack(
  client: KubernetesClient,
  declared: RouterSpec,
  shown: NodeLacks = {},
): Promise<void> {
  const router = await client.vlanRouter();
  if (router === undefined) return;
  const taken = Object.entries(routerDrift(router, declared)).filter(([what, found]) => shown[what] === found);
  if (taken.length === 0) return;
  await client.removeRouterFields(
    router,
    taken.map(([what]) => what.slice(prefix.length)),
  );
}
