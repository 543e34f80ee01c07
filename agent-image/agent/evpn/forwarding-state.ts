/** What one network's EVPN routes mean for the kernel: computed from the RIB, applied as FDB and neighbour entries. */
export interface ForwardingState {
  /** VTEPs of remote Type-3 routes, without our own: one zero-MAC entry each. Sorted. */
  readonly flood: readonly string[];
  /** Remote MACs and the VTEP behind which each sits. Sorted by MAC. */
  readonly hosts: readonly ForwardingHost[];
  /** Remote MAC+IP bindings. Sorted by address. */
  readonly neighbours: readonly ForwardingNeighbour[];
}

export interface ForwardingHost {
  readonly mac: string;
  readonly vtep: string;
}

export interface ForwardingNeighbour {
  readonly address: string;
  readonly mac: string;
}

/** What has become different in a {@link ForwardingState}, without its neighbours. */
export interface ForwardingChanges {
  readonly flood: readonly FloodChange[];
  readonly hosts: readonly HostChange[];
}

export interface FloodChange {
  readonly vtep: string;
  readonly wanted: boolean;
}

export interface HostChange {
  readonly mac: string;
  /** Undefined: nobody announces the MAC any more. */
  readonly vtep: string | undefined;
}
