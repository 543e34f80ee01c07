import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/**
 * What is ours in a kernel, as iproute2, sysctl and nft print it, without what differs from time to time: interface numbers,
 * counters, and the order in which rules of one priority came. Of sysctls and flood lists that which the plan speaks of.
 */
export async function ourKernelState(namespaces: TestNamespaces, place: string, plan: NodePlan): Promise<unknown> {
  const lines = async (command: string) => (await namespaces.exec(place, command.split(" "))).stdout.split("\n").sort();
  const sysctls = plan.networks.flatMap((network) => network.sysctls.map(({ name }) => name));
  const flooded = plan.networks.filter(({ speaker }) => speaker === undefined).map(({ link }) => link.name);
  const links = (await namespaces.json(place, "ip -d -j link show")) as readonly Readonly<Record<string, unknown>>[];
  return {
    links: links
      .map(({ ifindex: _, ...link }) => link)
      .toSorted((left, right) => (String(left.ifname) < String(right.ifname) ? -1 : 1)),
    addresses: await lines("ip -br address show"),
    routes: [...(await lines("ip -4 route show table all")), ...(await lines("ip -6 route show table all"))],
    rules: [...(await lines("ip -4 rule show")), ...(await lines("ip -6 rule show"))],
    flood: await Promise.all(flooded.map((device) => lines(`bridge fdb show dev ${device}`))),
    sysctls: sysctls.length === 0 ? [] : await lines(`sysctl ${sysctls.join(" ")}`),
    filter: (await namespaces.exec(place, ["nft", "list", "ruleset"])).stdout,
  };
}
