import { hasUnknown, ownerAnnotation, type VlanRouterObject } from "../../model/index.js";
import { askCluster } from "../ask-cluster.js";
import { checkFailure } from "../check-failure.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { foreignObject } from "../object-owner.js";
import type { NodeReportsArguments, NodeReportsInputs } from "./state.js";

/**
 * Refuses a router for a cluster that has one of somebody else: both would write the same namespace, permissions and
 * DaemonSet, and the first `destroy` would take them from the other. Refuses another cluster than that of the state too. All
 * of the router's own objects come after this resource.
 * @param olds what the state holds; nothing for a new router
 */
export async function checkNodeReports(
  environment: Environment,
  olds: Partial<NodeReportsInputs>,
  news: NodeReportsArguments,
): Promise<CheckResult<NodeReportsInputs>> {
  const { checked, facts, failures } = await askCluster(environment, news.cluster, olds, async (client) => ({
    router: await client.vlanRouter(),
  }));
  const refusal = facts?.router === undefined ? undefined : refusalOf(facts.router, olds, news);
  return {
    inputs: { ...news, ...checked },
    failures: [...failures, ...(refusal === undefined ? [] : [checkFailure("", refusal)])],
  };
}

function refusalOf(
  router: VlanRouterObject,
  olds: Partial<NodeReportsInputs>,
  { owner }: NodeReportsArguments,
): string | undefined {
  if (hasUnknown(owner)) return undefined;
  const holds = olds.cluster !== undefined;
  // Versions without the annotation made it; this update writes it.
  if (holds && router.metadata.annotations?.[ownerAnnotation] === undefined) return undefined;
  return foreignObject(router, owner, holds);
}
