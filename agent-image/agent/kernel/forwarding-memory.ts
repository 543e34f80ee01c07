import { type ForwardingEntry, floodMac } from "../../../model/index.js";
import type { ForwardingState } from "../evpn/forwarding-state.js";
import type { WantedEntries } from "./event-interest.js";

interface Remembered {
  readonly state: ForwardingState;
  /** What stands in the FDB by our own doing; undefined when that is not known. */
  readonly written: ForwardingState | undefined;
  /** Made from `state` when an event asks for it. */
  wanted?: WantedEntries;
}

/**
 * What the EVPN routes said last, by interface: put back when it had to be made again. With what we wrote, a route that
 * moves is one command, and not a dump of all entries for it.
 */
export class ForwardingMemory {
  private readonly byDevice = new Map<string, Remembered>();

  state(device: string): ForwardingState | undefined {
    return this.byDevice.get(device)?.state;
  }

  written(device: string): readonly ForwardingEntry[] | undefined {
    const written = this.byDevice.get(device)?.written;
    return written === undefined ? undefined : entriesOf(written);
  }

  want(device: string, state: ForwardingState): void {
    this.byDevice.set(device, { state, written: this.byDevice.get(device)?.written });
  }

  /** @param written undefined while something is changed, or when something failed */
  wrote(device: string, written: ForwardingState | undefined): void {
    const remembered = this.byDevice.get(device);
    if (remembered !== undefined) this.byDevice.set(device, { ...remembered, written });
  }

  wanted(device: string): WantedEntries | undefined {
    const remembered = this.byDevice.get(device);
    if (remembered === undefined) return undefined;
    remembered.wanted ??= {
      flood: new Set(remembered.state.flood),
      hosts: new Map(remembered.state.hosts.map(({ mac, vtep }) => [mac, vtep])),
    };
    return remembered.wanted;
  }

  retain(devices: ReadonlySet<string>): void {
    for (const device of this.byDevice.keys()) if (!devices.has(device)) this.byDevice.delete(device);
  }
}

/** As the kernel would list them. */
function entriesOf({ flood, hosts }: ForwardingState): readonly ForwardingEntry[] {
  return [
    ...flood.map((vtep) => ({ mac: floodMac, vtep, external: false })),
    ...hosts.map(({ mac, vtep }) => ({ mac, vtep, external: true })),
  ];
}
