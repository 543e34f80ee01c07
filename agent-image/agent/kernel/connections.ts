import { CommandFailure, type CommandRunner } from "./command-runner.js";

/** What conntrack(8) says, with exit code 1, where there is nothing to delete. */
const nothingDeleted = "0 flow entries have been deleted";

/**
 * Forgets the UDP flows to addresses that this node no longer answers for. Each keeps the backend that it was given, for two
 * minutes after the last packet: when the address comes back, a client that kept sending would be led to a pod that may be
 * long gone. TCP is left alone: what is dead there is answered by a reset, and what lives may come back with the address.
 *
 * @throws CommandFailure for the first address that this fails for, after all were tried
 */
export async function forgetUdpFlows(commands: CommandRunner, addresses: readonly string[]): Promise<void> {
  let failure: unknown;
  for (const address of addresses) {
    const family = address.includes(":") ? "ipv6" : "ipv4";
    try {
      await commands.run(["conntrack", "-D", "-f", family, "-p", "udp", "--orig-dst", address]);
    } catch (error) {
      if (!(error instanceof CommandFailure && error.stderr.includes(nothingDeleted))) failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}
