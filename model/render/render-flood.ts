import type { Variable } from "./symbolic.js";

/** Broadcast, unknown unicast and multicast go to every entry of the zero MAC (head-end replication). */
export const floodMac = "00:00:00:00:00:00";

/** `append`: the first entry could be added, a second one for the same MAC could not (measured). */
export function renderFlood(device: string, vtep: string): string {
  return `bridge fdb append ${floodMac} dev ${device} dst ${vtep} self permanent`;
}

/**
 * Where the node's own address is still a variable: one list of remotes serves every node, and a node that floods to
 * itself gets its own broadcasts back.
 */
export function renderFloodToOthers(device: string, vtep: string, own: Variable): string {
  return `[ "${own}" = ${vtep} ] || ${renderFlood(device, vtep)}`;
}
