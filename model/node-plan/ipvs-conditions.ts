import type { Routing } from "../configuration/configuration.js";
import { comparePrefixTexts } from "./compare.js";
import type { NodeFacts } from "./node-facts.js";
import type { Mark, PlanCondition } from "./node-plan.js";

/** On which kube-proxy and kube-router put the addresses that IPVS serves. */
const ipvsInterfaces: ReadonlySet<string> = new Set(["kube-ipvs0", "kube-dummy-if"]);

/**
 * What the kernel's IPVS keeps from the clients. A reply finds the network by its source where IPVS routes it again after
 * translating it (`snat_reroute`, Linux commit 8a8030407f55), or by its mark where netfilter knows the connection, which it does
 * with `vs.conntrack` alone; without both it leaves by the node's default route. Masquerading is netfilter's too: without it the pods of
 * other nodes answer past this one (all measured). Both sysctls hold for IPv6 as well.
 */
export function ipvsConditions(
  subnets: readonly Routing[],
  markOf: (routing: Routing) => Mark | undefined,
  { ipvs, links }: Pick<NodeFacts, "ipvs" | "links">,
): readonly PlanCondition[] {
  if (ipvs === undefined) return [];
  const { conntrack, snatReroute } = ipvs;
  const lost = snatReroute ? [] : subnets.filter((routing) => !conntrack || markOf(routing) === undefined);
  const isServiceProxy = links.some(({ name }) => ipvsInterfaces.has(name));
  return [...(lost.length === 0 ? [] : [notRerouted(lost)]), ...(isServiceProxy && !conntrack ? [notMasqueraded] : [])];
}

function notRerouted(subnets: readonly Routing[]): PlanCondition {
  const prefixes = subnets.map(({ cidr }) => cidr).sort(comparePrefixTexts);
  return {
    reason: "IpvsRepliesNotRerouted",
    message:
      `net.ipv4.vs.snat_reroute is 0: replies of IPVS services at ${prefixes.join(", ")} leave by the node's default route; ` +
      "run sysctl -w net.ipv4.vs.snat_reroute=1 and set it in /etc/sysctl.d",
  };
}

const notMasqueraded: PlanCondition = {
  reason: "IpvsNotMasqueraded",
  message:
    "net.ipv4.vs.conntrack is 0: nothing that IPVS translates is masqueraded, and pods of other nodes answer clients past this " +
    "node; run sysctl -w net.ipv4.vs.conntrack=1, which the service proxy sets when it starts",
};
