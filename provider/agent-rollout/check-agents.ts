import { hasUnknown } from "../../model/index.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";
import { routerWarnings } from "./router-warnings.js";
import type { AgentRolloutArguments, AgentRolloutInputs } from "./state.js";

/** Warns where what the nodes say of their pods' network differs from the program. */
export async function checkAgents(
  environment: Environment,
  news: AgentRolloutArguments,
): Promise<CheckResult<AgentRolloutInputs>> {
  for (const warning of routerWarnings(news, await nodesOf(environment, news))) {
    environment.log(`agents: warning: ${warning}`);
  }
  return { inputs: { ...news, drift: {} }, failures: [] };
}

async function nodesOf(environment: Environment, { cluster }: AgentRolloutArguments): Promise<readonly ClusterNode[]> {
  // The cluster itself is made in the same update.
  if (hasUnknown(cluster)) return [];
  try {
    const { client } = await environment.connect(cluster, "program");
    return await client.nodes();
  } catch {
    // NodeReports, which every router has too, has warned of it.
    return [];
  }
}
