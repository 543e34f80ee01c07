import { isDeepStrictEqual } from "node:util";
import { waitFor } from "../../lab/index.js";
import type { TestNamespaces } from "../support/namespace.js";

/** A forwarding entry that leads to another VTEP. */
export interface RemoteEntry {
  /** Zeros: where flooded frames go. */
  readonly mac: string;
  readonly vtep: string;
}

/** What a node's kernel holds of the other VTEPs, as iproute2 reads it. */
export class KernelEntries {
  constructor(
    private readonly fabric: TestNamespaces,
    private readonly place: string,
  ) {}

  /** Sorted by MAC, then by VTEP. */
  async of(device: string): Promise<readonly RemoteEntry[]> {
    const entries = (await this.fabric.json(this.place, `bridge -j fdb show dev ${device}`)) as readonly {
      readonly mac: string;
      readonly dst?: string;
    }[];
    return entries
      .flatMap(({ mac, dst }) => (dst === undefined ? [] : [{ mac, vtep: dst }]))
      .toSorted((one, other) => (`${one.mac} ${one.vtep}` < `${other.mac} ${other.vtep}` ? -1 : 1));
  }

  /** Waits until exactly these stand, sorted as in {@link of}; else the last ones that were seen are in the error. */
  async until(device: string, wanted: readonly RemoteEntry[]): Promise<void> {
    await this.untilHolds(device, JSON.stringify(wanted), (entries) => isDeepStrictEqual(entries, wanted));
  }

  /** Waits until this one stands, whatever stands beside it. */
  async untilSome(device: string, wanted: RemoteEntry): Promise<void> {
    await this.untilHolds(device, JSON.stringify(wanted), (entries) =>
      entries.some((entry) => isDeepStrictEqual(entry, wanted)),
    );
  }

  private async untilHolds(
    device: string,
    what: string,
    holds: (entries: readonly RemoteEntry[]) => boolean,
  ): Promise<void> {
    let last: readonly RemoteEntry[] = [];
    const stand = async () => {
      last = await this.of(device);
      return holds(last);
    };
    await waitFor(`${what} on ${device}`, stand, { timeout: 15_000 }).catch((error: Error) => {
      throw new Error(`${error.message}; it has ${JSON.stringify(last)}`);
    });
  }

  /** The neighbour entry of an address as `ip neigh` prints it; empty when there is none. */
  async neighbour(device: string, address: string): Promise<string> {
    return (await this.fabric.exec(this.place, ["ip", "neigh", "show", address, "dev", device])).stdout;
  }

  async macOf(device: string): Promise<string> {
    return (await this.fabric.exec(this.place, ["cat", `/sys/class/net/${device}/address`])).stdout.trim();
  }
}
