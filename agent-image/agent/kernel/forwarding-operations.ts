import { renderFlood } from "../../../model/index.js";
import type { ForwardingState } from "../evpn/forwarding-state.js";
import type { ForwardingEntry } from "./observed.js";
import { bridge, type Operation } from "./operation.js";

/** The entry of a VXLAN FDB that takes broadcast, unknown unicast and multicast: one destination for each VTEP. */
const FLOOD_MAC = "00:00:00:00:00:00";

/**
 * What makes the FDB of one VXLAN interface equal to the state; additions first. Only entries marked `extern_learn` and the flood
 * list are compared, the rest is what the data plane learned.
 */
export function forwardingOperations(
  device: string,
  state: Pick<ForwardingState, "flood" | "hosts">,
  observed: readonly ForwardingEntry[],
): readonly Operation[] {
  const flooded = observed.filter(({ mac }) => mac === FLOOD_MAC);
  const hosts = observed.filter(({ mac, external }) => external && mac !== FLOOD_MAC);
  const wanted = new Set(state.hosts.map(({ mac }) => mac));
  const held = new Map(hosts.map(({ mac, vtep }) => [mac, vtep]));
  return [
    ...state.flood
      .filter((vtep) => !flooded.some((entry) => entry.vtep === vtep))
      .map((vtep) => bridge(renderFlood(device, vtep))),
    // `replace` moves a MAC to another VTEP; `append` would answer success and change nothing (measured).
    ...state.hosts
      .filter(({ mac, vtep }) => held.get(mac) !== vtep)
      .map(({ mac, vtep }) => bridge(`bridge fdb replace ${mac} dev ${device} dst ${vtep} self extern_learn`)),
    ...flooded.filter(({ vtep }) => !state.flood.includes(vtep)).map((entry) => deleteEntry(device, entry)),
    ...hosts.filter(({ mac }) => !wanted.has(mac)).map((entry) => deleteEntry(device, entry)),
  ];
}

/** With the VTEP: an entry that has moved meanwhile is then left alone, without it whatever is there would go (measured). */
function deleteEntry(device: string, { mac, vtep }: ForwardingEntry): Operation {
  return bridge(`bridge fdb del ${mac} dev ${device} dst ${vtep} self`);
}
