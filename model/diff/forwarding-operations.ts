import { floodMac, renderFlood } from "../render/render-flood.js";
import type { ForwardingEntry } from "./observed-state.js";
import { bridge, type Operation } from "./operation.js";

/** What the FDB of a VXLAN interface has to hold, from the configuration or from EVPN routes. */
export interface ForwardingPlan {
  /** VTEPs that get broadcast, unknown unicast and multicast. */
  readonly flood: readonly string[];
  /** Remote MACs and the VTEP behind which each sits. */
  readonly hosts: readonly { readonly mac: string; readonly vtep: string }[];
}

/**
 * What makes the FDB of one VXLAN interface equal to the plan; additions first. Only entries marked `extern_learn` and the flood
 * list are compared, the rest is what the data plane learned.
 */
export function forwardingOperations(
  device: string,
  plan: ForwardingPlan,
  observed: readonly ForwardingEntry[],
): readonly Operation[] {
  const flooded = observed.filter(({ mac }) => mac === floodMac);
  const hosts = observed.filter(({ mac, external }) => external && mac !== floodMac);
  const wanted = new Set(plan.hosts.map(({ mac }) => mac));
  const held = new Map(hosts.map(({ mac, vtep }) => [mac, vtep]));
  return [
    ...plan.flood
      .filter((vtep) => !flooded.some((entry) => entry.vtep === vtep))
      .map((vtep) => bridge(renderFlood(device, vtep))),
    // `replace` moves a MAC to another VTEP; `append` would answer success and change nothing (measured).
    ...plan.hosts
      .filter(({ mac, vtep }) => held.get(mac) !== vtep)
      .map(({ mac, vtep }) => bridge(`bridge fdb replace ${mac} dev ${device} dst ${vtep} self extern_learn`)),
    ...flooded.filter(({ vtep }) => !plan.flood.includes(vtep)).map((entry) => deleteEntry(device, entry)),
    ...hosts.filter(({ mac }) => !wanted.has(mac)).map((entry) => deleteEntry(device, entry)),
  ];
}

/** With the VTEP: an entry that has moved meanwhile is then left alone, without it whatever is there would go (measured). */
function deleteEntry(device: string, { mac, vtep }: ForwardingEntry): Operation {
  return bridge(`bridge fdb del ${mac} dev ${device} dst ${vtep} self`);
}
