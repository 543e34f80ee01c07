import { floodMac, renderFlood } from "../render/render-flood.js";
import type { BridgedHost, ForwardingEntry } from "./observed-state.js";
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
 *
 * @param bridged what the bridge knows whose port the interface is; undefined without one
 */
export function forwardingOperations(
  device: string,
  plan: ForwardingPlan,
  observed: readonly ForwardingEntry[],
  bridged?: readonly BridgedHost[],
): readonly Operation[] {
  const flooded = observed.filter(({ mac }) => mac === floodMac);
  const hosts = observed.filter(({ mac, external }) => external && mac !== floodMac);
  const wanted = new Set(plan.hosts.map(({ mac }) => mac));
  const held = new Map(hosts.map(({ mac, vtep }) => [mac, vtep]));
  const atBridge = bridged === undefined ? undefined : bridgeOperations(device, plan, bridged);
  return [
    ...plan.flood
      .filter((vtep) => !flooded.some((entry) => entry.vtep === vtep))
      .map((vtep) => bridge(renderFlood(device, vtep))),
    // `replace` moves a MAC to another VTEP; `append` would answer success and change nothing (measured).
    ...plan.hosts
      .filter(({ mac, vtep }) => held.get(mac) !== vtep)
      .map(({ mac, vtep }) => bridge(`bridge fdb replace ${mac} dev ${device} dst ${vtep} self extern_learn`)),
    ...(atBridge?.additions ?? []),
    ...flooded.filter(({ vtep }) => !plan.flood.includes(vtep)).map((entry) => deleteEntry(device, entry)),
    ...(atBridge?.removals ?? []),
    ...hosts.filter(({ mac }) => !wanted.has(mac)).map((entry) => deleteEntry(device, entry)),
  ];
}

/**
 * A bridge that does not know that a MAC is behind its VXLAN port floods each frame to all its ports (zebra-rs/zebra-rs#411). It
 * is told in a request of its own: one for both tables is not atomic (measured). `dynamic`, because a permanent entry of a bridge
 * is a MAC of the node itself. A MAC that was seen behind another port is on this node, whatever the routes say; the route
 * takes its place when the bridge has forgotten it.
 */
function bridgeOperations(
  device: string,
  plan: ForwardingPlan,
  bridged: readonly BridgedHost[],
): { readonly additions: readonly Operation[]; readonly removals: readonly Operation[] } {
  const wanted = new Set(plan.hosts.map(({ mac }) => mac));
  const remote = new Set(bridged.filter(({ port, external }) => port === device && external).map(({ mac }) => mac));
  const local = localHosts(device, bridged);
  return {
    additions: plan.hosts
      .filter(({ mac }) => !remote.has(mac) && !local.has(mac))
      .map(({ mac }) => bridge(`bridge fdb replace ${mac} dev ${device} master dynamic extern_learn`)),
    removals: [...remote]
      .filter((mac) => !wanted.has(mac))
      .map((mac) => bridge(`bridge fdb del ${mac} dev ${device} master`)),
  };
}

/** MACs of this node: those that its bridge knows behind another port than the VXLAN interface. */
function localHosts(device: string, bridged: readonly BridgedHost[]): ReadonlySet<string> {
  return new Set(bridged.filter(({ port }) => port !== device).map(({ mac }) => mac));
}

/** With the VTEP: an entry that has moved meanwhile is then left alone, without it whatever is there would go (measured). */
function deleteEntry(device: string, { mac, vtep }: ForwardingEntry): Operation {
  return bridge(`bridge fdb del ${mac} dev ${device} dst ${vtep} self`);
}
