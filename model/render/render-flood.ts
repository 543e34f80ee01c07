/** Broadcast, unknown unicast and multicast go to every entry of the zero MAC (head-end replication). */
export const floodMac = "00:00:00:00:00:00";

/** `append`: the first entry could be added, a second one for the same MAC could not (measured). */
export function renderFlood(device: string, vtep: string): string {
  return `bridge fdb append ${floodMac} dev ${device} dst ${vtep} self permanent`;
}
