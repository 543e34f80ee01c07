import { askCluster } from "../ask-cluster.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { routerWarnings } from "./router-warnings.js";
import type { AgentRolloutArguments, AgentRolloutInputs } from "./state.js";

/**
 * Warns where what the nodes say of their pods' network differs from the program.
 * @param olds what the state holds; nothing for a new router
 */
export async function checkAgents(
  environment: Environment,
  olds: Partial<AgentRolloutInputs>,
  news: AgentRolloutArguments,
): Promise<CheckResult<AgentRolloutInputs>> {
  const answer = await askCluster(environment, news.cluster, olds, (client) => client.nodes());
  for (const warning of routerWarnings(news, answer.facts ?? [])) environment.log(`agents: warning: ${warning}`);
  return { inputs: { ...news, ...answer.checked, drift: {} }, failures: [...answer.failures] };
}
