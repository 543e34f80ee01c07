import type { NodePlan } from "../../model/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** Output by command. */
export type OurKernelState = Readonly<Record<string, unknown>>;

/**
 * What is ours in a kernel, as iproute2, sysctl and nft print it, without what differs from time to time: interface numbers
 * and the order in which rules of one priority came. Of sysctls and flood lists that which the plan speaks of.
 */
export async function ourKernelState(
  namespaces: TestNamespaces,
  place: string,
  plan: NodePlan,
): Promise<OurKernelState> {
  const sysctls = plan.networks.flatMap((network) => network.sysctls.map(({ name }) => name));
  const flooded = plan.networks.filter(({ speaker }) => speaker === undefined).map(({ link }) => link);
  const commands = [
    "ip -d -j link show",
    "ip -br address show",
    "ip -4 route show table all",
    "ip -6 route show table all",
    "ip -4 rule show",
    "ip -6 rule show",
    "nft list ruleset",
    ...flooded.filter(({ kind }) => kind === "vxlan").map(({ name }) => `bridge fdb show dev ${name}`),
    ...(sysctls.length === 0 ? [] : [`sysctl ${sysctls.join(" ")}`]),
  ];
  // All in one shell, because the emulated kernel starts few programs in a second.
  const script = commands.map((command) => `${command}\nprintf '\\0'`).join("\n");
  const outputs = (await namespaces.exec(place, ["sh", "-e", "-c", script])).stdout.split("\0");
  return Object.fromEntries(commands.map((command, index) => [command, comparable(command, outputs[index] ?? "")]));
}

function comparable(command: string, output: string): unknown {
  if (command.startsWith("nft")) return output;
  if (!command.includes("-j")) return output.split("\n").sort();
  const links = JSON.parse(output) as readonly Readonly<Record<string, unknown>>[];
  return links
    .map(({ ifindex: _, ...link }) => link)
    .toSorted((left, right) => (String(left.ifname) < String(right.ifname) ? -1 : 1));
}
