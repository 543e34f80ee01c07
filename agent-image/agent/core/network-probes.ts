import type { LinkFact, NodePlan } from "../../../model/index.js";
import type { NetworkResult } from "../kernel/index.js";
import type { CarriedNetwork } from "./carried-network.js";
import type { Probe } from "./ports.js";

/**
 * What shows that networks work on this node: that the kernel holds them whole, and that their gateways answer. The names outlive another segment, prefix or gateway, so that what answered before a change
 * can be asked after it; where there is nothing to ask by, the answer is no. Networks that do not select the node have none.
 *
 * @param results of the pass after which is asked
 */
export function networkProbes(
  networks: readonly CarriedNetwork[],
  plan: NodePlan,
  results: readonly NetworkResult[],
  links: readonly LinkFact[],
): readonly Probe[] {
  const plans = new Map(plan.networks.map((planned) => [planned.network, planned]));
  const unplanned = new Set(plan.unplanned.map(({ network }) => network));
  const resultsByNetwork = new Map(results.map((result) => [result.network, result]));
  const macs = new Map(links.map(({ name, mac }) => [name, mac]));
  return networks.flatMap((network) => {
    const planned = plans.get(network.name);
    if (planned === undefined && !unplanned.has(network.name)) {
      return [];
    }
    const result = resultsByNetwork.get(network.name);
    const whole = planned !== undefined && result?.errors.length === 0 && result.conflicts.length === 0;
    const device = planned?.link.name;
    const mac = device === undefined ? undefined : macs.get(device);
    const isIpv6 = ({ cidr }: { readonly cidr: string }) => cidr.includes(":");
    return [
      { kind: "known", name: `network ${network.name}`, answers: whole } as const,
      ...network.spec.routing.map((subnet): Probe => {
        const { gateway, table } = subnet;
        const subnets = network.spec.routing.filter((other) => isIpv6(other) === isIpv6(subnet));
        // Of several subnets one may lie in the network's own table, each other one lies in a table that it names. One
        // alone is known without it: a change may move it to another table.
        const among = subnets.length > 1 && table !== undefined ? ` in table ${table}` : "";
        const name = `${isIpv6(subnet) ? "IPv6" : "IPv4"} gateway of ${network.name}${among}`;
        return device === undefined || mac === undefined
          ? { kind: "known", name, answers: false }
          : { kind: "gateway", name, device, mac, gateway };
      }),
    ];
  });
}
