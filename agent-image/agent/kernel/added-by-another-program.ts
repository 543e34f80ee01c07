import { type PlanCondition, routeProtocol } from "../../../model/index.js";
import type { NetworkPrograms } from "./network-programs.js";
import { contestedAfter, contestedPace, contestWindow } from "./repair-limit.js";

/** Commands that a message names: who finds one of the objects finds the others beside it. */
const namedRemovals = 3;

/**
 * Names what another program puts in again and again with our marks, and who may do it.
 *
 * @param removals the commands by which it was removed
 */
export function addedByAnotherProgram(removals: ReadonlySet<string>, programs: NetworkPrograms): PlanCondition {
  const commands = [...removals].sort();
  const more = commands.length - namedRemovals;
  return {
    reason: "AddedByAnotherProgram",
    message:
      `another program puts in again what has this agent's protocol number ${routeProtocol} or its marks and belongs to no ` +
      `plan: ${contestedAfter} times within ${contestWindow / 1000} s it was removed, with: ` +
      `${commands.slice(0, namedRemovals).join("; ")}${more > 0 ? `; and ${more} more` : ""}; ${likelyCause(commands, programs)}; ` +
      `until a minute passes without, it is removed every ${contestedPace / 1000} s at most`,
  };
}

/** systemd.network(5): routes of networkd may have any protocol (Protocol= in [Route]), its rules have none to choose. */
function likelyCause(commands: readonly string[], { networkd }: NetworkPrograms): string {
  const isRoute = commands.some((command) => /^ip -[46] route /.test(command));
  return networkd && isRoute
    ? `systemd-networkd runs: take Protocol=${routeProtocol} out of the sections [Route] of its .network files`
    : UNKNOWN_CAUSE;
}

const UNKNOWN_CAUSE =
  "neither systemd-networkd nor NetworkManager does so by itself: look for a script that brings back what it saved (ip rule " +
  "restore, ip route restore), for another agent of the node's network that was given this number, and for a second agent like this one";
