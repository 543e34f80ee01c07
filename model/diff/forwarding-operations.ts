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

/** Forwarding entries of one VXLAN interface that are not as they shall be. */
export interface ForwardingDifference {
  readonly addedFlood: readonly string[];
  readonly removedFlood: readonly string[];
  readonly hosts: readonly HostDifference[];
}

/** The VTEPs behind which a MAC stands and shall stand; undefined: no entry. */
export interface HostDifference {
  readonly mac: string;
  readonly held: string | undefined;
  readonly wanted: string | undefined;
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
  const atBridge = bridged && bridgeOperations(device, new Set(plan.hosts.map(({ mac }) => mac)), bridged);
  return operations(device, forwardingDifference(plan, observed), atBridge);
}

/**
 * The same where it is known how the entries stand that are to be changed, without a look at all others.
 *
 * @param bridged what the bridge knows of these hosts; of others it may be there or not
 */
export function forwardingChangeOperations(
  device: string,
  difference: ForwardingDifference,
  bridged?: readonly BridgedHost[],
): readonly Operation[] {
  const changed = new Map(difference.hosts.map(({ mac, wanted }) => [mac, wanted]));
  const wanted = new Set([...changed.keys()].filter((mac) => changed.get(mac) !== undefined));
  const concerned = bridged?.filter(({ mac }) => changed.has(mac));
  return operations(device, difference, concerned && bridgeOperations(device, wanted, concerned));
}

function forwardingDifference(plan: ForwardingPlan, observed: readonly ForwardingEntry[]): ForwardingDifference {
  const flooded = new Set(observed.flatMap(({ mac, vtep }) => (mac === floodMac ? [vtep] : [])));
  const flood = new Set(plan.flood);
  const held = new Map(
    observed.flatMap(({ mac, vtep, external }) => (external && mac !== floodMac ? [[mac, vtep] as const] : [])),
  );
  // Where nothing stands there is nothing to take away: the usual case of a whole table, which is the long one.
  const wanted = new Set(held.size === 0 ? [] : plan.hosts.map(({ mac }) => mac));
  return {
    addedFlood: plan.flood.filter((vtep) => !flooded.has(vtep)),
    removedFlood: [...flooded].filter((vtep) => !flood.has(vtep)),
    hosts: [
      ...plan.hosts
        .filter(({ mac, vtep }) => held.get(mac) !== vtep)
        .map(({ mac, vtep }) => ({ mac, held: held.get(mac), wanted: vtep })),
      ...[...held].filter(([mac]) => !wanted.has(mac)).map(([mac, vtep]) => ({ mac, held: vtep, wanted: undefined })),
    ],
  };
}

function operations(
  device: string,
  { addedFlood, removedFlood, hosts }: ForwardingDifference,
  atBridge: BridgeOperations | undefined,
): readonly Operation[] {
  return [
    ...addedFlood.map((vtep) => bridge(renderFlood(device, vtep))),
    // `replace` moves a MAC to another VTEP; `append` would answer success and change nothing (measured).
    ...hosts.flatMap(({ mac, wanted }) =>
      wanted === undefined ? [] : [bridge(`bridge fdb replace ${mac} dev ${device} dst ${wanted} self extern_learn`)],
    ),
    ...(atBridge?.additions ?? []),
    ...removedFlood.map((vtep) => deleteEntry(device, floodMac, vtep)),
    ...(atBridge?.removals ?? []),
    ...hosts.flatMap(({ mac, held, wanted }) =>
      wanted === undefined && held !== undefined ? [deleteEntry(device, mac, held)] : [],
    ),
  ];
}

interface BridgeOperations {
  readonly additions: readonly Operation[];
  readonly removals: readonly Operation[];
}

/**
 * A bridge that does not know that a MAC is behind its VXLAN port floods each frame to all its ports (zebra-rs/zebra-rs#411). It
 * is told in a request of its own: one for both tables is not atomic (measured). `dynamic`, because a permanent entry of a bridge
 * is a MAC of the node itself. A MAC that was seen behind another port is on this node, whatever the routes say; the route
 * takes its place when the bridge has forgotten it.
 */
function bridgeOperations(
  device: string,
  wanted: ReadonlySet<string>,
  bridged: readonly BridgedHost[],
): BridgeOperations {
  const remote = new Set(bridged.filter(({ port, external }) => port === device && external).map(({ mac }) => mac));
  const local = localHosts(device, bridged);
  return {
    additions: [...wanted]
      .filter((mac) => !remote.has(mac) && !local.has(mac))
      .map((mac) => bridgedRemotely(device, mac)),
    removals: [...remote]
      .filter((mac) => !wanted.has(mac))
      .map((mac) => bridge(`bridge fdb del ${mac} dev ${device} master`)),
  };
}

/** Tells a bridge that a MAC is behind its VXLAN port; one that it knows behind another port is moved. */
export function bridgedRemotely(device: string, mac: string): Operation {
  return bridge(`bridge fdb replace ${mac} dev ${device} master dynamic extern_learn`);
}

/** MACs of this node: those that its bridge knows behind another port than the VXLAN interface. */
function localHosts(device: string, bridged: readonly BridgedHost[]): ReadonlySet<string> {
  return new Set(bridged.filter(({ port }) => port !== device).map(({ mac }) => mac));
}

/** With the VTEP: an entry that has moved meanwhile is then left alone, without it whatever is there would go (measured). */
function deleteEntry(device: string, mac: string, vtep: string): Operation {
  return bridge(`bridge fdb del ${mac} dev ${device} dst ${vtep} self`);
}
