import { hasUnknown, type VlanRouterObject } from "../../model/index.js";
import { askCluster } from "../ask-cluster.js";
import { checkFailure } from "../check-failure.js";
import type { Declaration, Declarations } from "../declarations.js";
import type { CheckResult } from "../dynamic-result.js";
import type { Environment } from "../environment.js";
import { foreignObject, urnOf } from "../object-owner.js";
import { replacedProvider } from "./replaced-provider.js";
import type { NodeReportsArguments, NodeReportsInputs } from "./state.js";

/**
 * Refuses a router for a cluster that has one of somebody else: both would write the same namespace, permissions and
 * DaemonSet, and the first `destroy` would take them from the other. Refuses another cluster than that of the state too, and
 * an update that would replace all of the objects. All of the router's own objects come after this resource.
 * @param program the routers of the program, of which the cluster may not have any yet
 * @param olds what the state holds; nothing for a new router
 */
export async function checkNodeReports(
  environment: Environment,
  program: Declarations<Declaration>,
  olds: Partial<NodeReportsInputs>,
  news: NodeReportsArguments,
): Promise<CheckResult<NodeReportsInputs>> {
  const { checked, facts, failures } = await askCluster(environment, news.cluster, olds, async (client) => ({
    router: await client.vlanRouter(),
  }));
  const inputs = { ...news, ...checked };
  const [other] = program.declare(inputs);
  const refusals = [
    facts?.router === undefined ? undefined : refusalOf(facts.router, olds, news),
    other === undefined ? undefined : secondRouter(other.owner, news.owner),
  ];
  return {
    inputs,
    failures: [
      ...failures,
      ...refusals.flatMap((reason) => (reason === undefined ? [] : [checkFailure("", reason)])),
      ...replacedProvider(olds, news),
    ],
  };
}

function secondRouter(first: string, second: string): string {
  return (
    `a cluster has one VlanRouter, and this program declares two for it: ${urnOf(first)} and ${urnOf(second)}; ` +
    "declare one and give it to the networks of both, or name another cluster in one of them"
  );
}

function refusalOf(
  router: VlanRouterObject,
  { cluster, owner: heldBy = "" }: Partial<NodeReportsInputs>,
  { owner }: NodeReportsArguments,
): string | undefined {
  if (hasUnknown(owner)) return undefined;
  // Versions without the annotation made it, or somebody has removed it; this update writes it.
  return foreignObject(router, owner, cluster === undefined ? undefined : { owner: heldBy });
}
