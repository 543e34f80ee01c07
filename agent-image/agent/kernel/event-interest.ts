import { madeInterfaces, type NodePlan, type ObservedState, tunnelOf } from "../../../model/index.js";

/** What of the kernel's changes concerns a node plan. */
export interface EventInterest {
  /** Interfaces of the plan, those below them, and `lo`, where the node's own public addresses are looked for. */
  readonly devices: ReadonlySet<string>;
  readonly tables: ReadonlySet<number>;
  /** Something waits for an interface or an address, or a foreign one stands in its way: any may be the one. */
  readonly anyInterface: boolean;
  /** Forwarding entries that shall be there; undefined for an interface that is not ours. */
  readonly forwarding: (device: string) => WantedEntries | undefined;
}

export interface WantedEntries {
  readonly flood: Pick<ReadonlySet<string>, "has">;
  /** VTEP by MAC. */
  readonly hosts: ReadonlyMap<string, string>;
}

/**
 * @param observed what the plan is compared with
 * @param blocked some network's comparison ended with conflicts or errors
 */
export function eventInterest(
  plan: NodePlan,
  observed: Pick<ObservedState, "addresses">,
  blocked: boolean,
  forwarding: EventInterest["forwarding"],
): EventInterest {
  const vteps = new Set(plan.networks.flatMap(({ link }) => tunnelOf(link)?.local ?? []));
  return {
    devices: new Set([
      "lo",
      ...plan.networks.flatMap(({ link }) => [
        link.name,
        ...madeInterfaces(link),
        ...("parent" in link ? [link.parent] : []),
      ]),
      ...plan.unplanned.flatMap(({ device, interfaces }) => [device, ...interfaces]),
      ...observed.addresses.filter(({ address }) => vteps.has(address)).map(({ device }) => device),
    ]),
    tables: new Set([
      ...plan.networks.flatMap((network) => network.routes.map(({ table }) => table)),
      ...plan.unplanned.flatMap(({ tables }) => tables),
    ]),
    anyInterface: blocked || plan.unplanned.length > 0,
    forwarding,
  };
}
