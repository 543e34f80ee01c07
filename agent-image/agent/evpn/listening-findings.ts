import type { PlanCondition, SpeakerPlan } from "../../../model/index.js";
import { sessionSource } from "../../../model/node-plan/shared-session.js";

/** That peers cannot connect to a network which wants them to; its own connections go on all the same. */
export function listeningFindings(
  plan: Pick<SpeakerPlan, "listen" | "source" | "vtep">,
  failureOf: (local: string) => string | undefined,
): readonly PlanCondition[] {
  const local = sessionSource(plan);
  const failure = plan.listen === true && local !== undefined ? failureOf(local) : undefined;
  if (failure === undefined) {
    return [];
  }
  const cure = cureOf(failure);
  return [
    {
      reason: "NotListening",
      message:
        `peers cannot connect to ${local} port 179 (${failure}); this node still connects to them, and sessions come up where ` +
        `they accept that; ${cure}`,
    },
  ];
}

function cureOf(failure: string): string {
  if (failure.endsWith("EADDRINUSE"))
    return (
      "another program of the node holds the port, such as the BGP speaker of Calico, MetalLB or kube-router: let that one give " +
      "it up (ss -Hltnp sport = :179 names it), or take bgp.listen away"
    );
  // Ports below 1024 need it (capabilities(7)); in a pod, root is without it unless the container adds it.
  if (failure.endsWith("EACCES"))
    return "the agent lacks the capability CAP_NET_BIND_SERVICE: add NET_BIND_SERVICE to the container, or take bgp.listen away";
  return "take bgp.listen away where the node cannot do without what forbids it";
}
