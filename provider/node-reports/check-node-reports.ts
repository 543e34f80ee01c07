import { hasUnknown, ownerAnnotation, type VlanRouterObject } from "../../model/index.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { foreignObject } from "../object-owner.js";
import type { NodeReportsInputs } from "./state.js";

/**
 * Refuses a router for a cluster that has one of somebody else: both would write the same namespace, permissions and
 * DaemonSet, and the first `destroy` would take them from the other. All of the router's own objects come after this resource.
 * @param olds what the state holds; nothing for a new router
 */
export async function checkNodeReports(
  environment: Environment,
  olds: Partial<NodeReportsInputs>,
  news: NodeReportsInputs,
): Promise<CheckResult<NodeReportsInputs>> {
  const router = await routerOf(environment, news);
  const refusal = router === undefined ? undefined : refusalOf(router, olds, news);
  return { inputs: news, failures: refusal === undefined ? [] : [{ property: "owner", reason: refusal }] };
}

function refusalOf(
  router: VlanRouterObject,
  olds: Partial<NodeReportsInputs>,
  { owner }: NodeReportsInputs,
): string | undefined {
  if (hasUnknown(owner)) return undefined;
  const holds = olds.cluster !== undefined;
  // Versions without the annotation made it; this update writes it.
  if (holds && router.metadata.annotations?.[ownerAnnotation] === undefined) return undefined;
  return foreignObject(router, owner, holds);
}

async function routerOf(
  environment: Environment,
  { cluster }: NodeReportsInputs,
): Promise<VlanRouterObject | undefined> {
  // The cluster itself is made in the same update.
  if (hasUnknown(cluster)) return undefined;
  try {
    const { client } = await environment.connect(cluster, "program");
    return await client.vlanRouter();
  } catch (error) {
    environment.log(
      `agents: warning: whether the cluster has a VlanRouter of another stack is found only at deployment, because ` +
        `${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}
