import type { ForwardingDifference, ForwardingPlan } from "../../../model/index.js";
import type { ForwardingChanges } from "../evpn/forwarding-state.js";
import { CopiedEntries } from "./copied-entries.js";
import type { WantedEntries } from "./event-interest.js";

interface Remembered {
  readonly flood: CopiedEntries;
  readonly hosts: CopiedEntries;
  /** What stands in the FDB is by our own doing, except for what has been wanted since. */
  isWritten: boolean;
}

/**
 * What the EVPN routes said last, by interface: put back when it had to be made again. With what we wrote, a route that
 * moves is one command, and neither a dump of all entries nor a comparison with them.
 */
export class ForwardingMemory {
  private readonly byDevice = new Map<string, Remembered>();

  /** The whole, whatever was wanted before. */
  want(device: string, { flood, hosts }: ForwardingPlan): void {
    const remembered = this.byDevice.get(device) ?? {
      flood: new CopiedEntries(),
      hosts: new CopiedEntries(),
      isWritten: false,
    };
    this.byDevice.set(device, remembered);
    remembered.flood.replace(new Map(flood.map((vtep) => [vtep, vtep])));
    remembered.hosts.replace(new Map(hosts.map(({ mac, vtep }) => [mac, vtep])));
  }

  /** Returns whether the whole is known to which the changes belong. */
  change(device: string, { flood, hosts }: ForwardingChanges): boolean {
    const remembered = this.byDevice.get(device);
    for (const { vtep, wanted } of flood) remembered?.flood.set(vtep, wanted ? vtep : undefined);
    for (const { mac, vtep } of hosts) remembered?.hosts.set(mac, vtep);
    return remembered !== undefined;
  }

  /** What is wanted, for a comparison with the kernel: what is wanted later on comes on top of it. */
  whole(device: string): ForwardingPlan | undefined {
    const remembered = this.byDevice.get(device);
    if (remembered === undefined) return undefined;
    remembered.flood.copied();
    remembered.hosts.copied();
    return {
      flood: [...remembered.flood.entries.keys()],
      hosts: [...remembered.hosts.entries].map(([mac, vtep]) => ({ mac, vtep })),
    };
  }

  /** What is to be written, which from now on counts as written; undefined where it is not known what stands in the FDB. */
  takeUnwritten(device: string): ForwardingDifference | undefined {
    const remembered = this.byDevice.get(device);
    if (remembered?.isWritten !== true) return undefined;
    const flood = remembered.flood.takeChanges();
    return {
      addedFlood: flood.flatMap(({ key, wanted }) => (wanted === undefined ? [] : [key])),
      removedFlood: flood.flatMap(({ key, wanted }) => (wanted === undefined ? [key] : [])),
      hosts: remembered.hosts.takeChanges().map(({ key, ...vteps }) => ({ mac: key, ...vteps })),
    };
  }

  /** @param isWritten false when something failed */
  wrote(device: string, isWritten: boolean): void {
    const remembered = this.byDevice.get(device);
    if (remembered !== undefined) remembered.isWritten = isWritten;
  }

  wanted(device: string): WantedEntries | undefined {
    const remembered = this.byDevice.get(device);
    return remembered && { flood: remembered.flood.entries, hosts: remembered.hosts.entries };
  }

  retain(devices: ReadonlySet<string>): void {
    for (const device of this.byDevice.keys()) if (!devices.has(device)) this.byDevice.delete(device);
  }
}
