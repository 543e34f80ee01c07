import type { TestNamespaces } from "../support/namespace.js";

const COMMANDS = [
  "ip -d -j link",
  "ip -j -4 route show table all",
  "ip -j -6 route show table all",
  "ip -4 rule",
  "ip -6 rule",
  "nft list ruleset",
] as const;

/** Output by command. */
export type KernelState = Readonly<Record<string, string>>;

/** Everything that we may touch, as iproute2 and nft print it: for comparisons of before and after. */
export async function kernelState(namespaces: TestNamespaces, place: string): Promise<KernelState> {
  const entries = await Promise.all(
    COMMANDS.map(async (command) => [command, (await namespaces.exec(place, command.split(" "))).stdout] as const),
  );
  return Object.fromEntries(entries);
}
