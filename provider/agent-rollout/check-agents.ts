import { hasUnknown, ownerAnnotation, type VlanRouterObject } from "../../model/index.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";
import { foreignObject } from "../object-owner.js";
import { routerWarnings } from "./router-warnings.js";
import type { AgentRolloutArguments, AgentRolloutInputs } from "./state.js";

interface ClusterFacts {
  readonly router: VlanRouterObject | undefined;
  readonly nodes: readonly ClusterNode[];
}

/**
 * Refuses a router for a cluster that has one of somebody else: both would write the same namespace, permissions and
 * DaemonSet, and the first `destroy` would take them from the other.
 * @param olds what the state holds; nothing for a new router
 */
export async function checkAgents(
  environment: Environment,
  olds: Partial<AgentRolloutInputs>,
  news: AgentRolloutArguments,
): Promise<CheckResult<AgentRolloutInputs>> {
  const inputs: AgentRolloutInputs = { ...news, drift: {} };
  const facts = await factsOf(environment, news);
  if (facts === undefined) return { inputs, failures: [] };
  for (const warning of routerWarnings(news, facts.nodes)) environment.log(`agents: warning: ${warning}`);
  const refusal = refusalOf(facts.router, olds, news);
  return { inputs, failures: refusal === undefined ? [] : [{ property: "owner", reason: refusal }] };
}

function refusalOf(
  router: VlanRouterObject | undefined,
  olds: Partial<AgentRolloutInputs>,
  { owner }: AgentRolloutArguments,
): string | undefined {
  if (router === undefined || hasUnknown(owner)) return undefined;
  const holds = olds.image !== undefined;
  // Versions without the annotation made it; this update writes it.
  if (holds && router.metadata.annotations?.[ownerAnnotation] === undefined) return undefined;
  return foreignObject(router, owner, holds);
}

async function factsOf(
  environment: Environment,
  { cluster }: AgentRolloutArguments,
): Promise<ClusterFacts | undefined> {
  // The cluster itself is made in the same update.
  if (hasUnknown(cluster)) return undefined;
  try {
    const { client } = await environment.connect(cluster, "program");
    const [router, nodes] = await Promise.all([client.vlanRouter(), client.nodes()]);
    return { router, nodes };
  } catch (error) {
    environment.log(
      `agents: warning: whether the cluster has a VlanRouter of another stack is found only at deployment, because ` +
        `${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}
