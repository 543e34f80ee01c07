/**
 * The lab's addresses and names in one place. Underlay 10.0.7.0/24 carries the nodes, the reflectors and the API
 * server; the public networks live above it as VXLAN segments.
 */

/** Places that a person may enter with `npm run lab -- shell NODE`. */
export const places = ["client", "gateway", "rr1", "rr2", "n1", "n2", "n3"] as const;
export type Place = (typeof places)[number];

export const nodeNames = ["n1", "n2", "n3"] as const;
export type NodeName = (typeof nodeNames)[number];

export const reflectorNames = ["rr1", "rr2"] as const;
export type ReflectorName = (typeof reflectorNames)[number];

export const underlay = {
  prefix: "10.0.7.0/24",
  prefixLength: 24,
  /** The nodes' default gateway: the wrong door for replies from a public address. It has no route to the client. */
  defaultGateway: "10.0.7.1",
  controlPlane: "10.0.7.10",
  nodes: { n1: "10.0.7.11", n2: "10.0.7.12", n3: "10.0.7.13" } satisfies Record<NodeName, string>,
  reflectors: { rr1: "10.0.7.19", rr2: "10.0.7.20" } satisfies Record<ReflectorName, string>,
  /** Room for 50 bytes of VXLAN header around a 1500 byte frame. */
  mtu: 1600,
} as const;

export const asn = 65001;

export interface FabricNetwork {
  readonly vni: number;
  readonly cidr: string;
  readonly gateway: string;
  readonly prefixLength: number;
}

/** Segments that both reflectors carry as leaf VTEPs; the provider's gateway hangs behind rr1 in each of them. */
export const fabricNetworks: readonly FabricNetwork[] = [
  { vni: 228, cidr: "203.0.113.0/24", gateway: "203.0.113.1", prefixLength: 24 },
  { vni: 240, cidr: "198.51.100.0/24", gateway: "198.51.100.1", prefixLength: 24 },
];

/** The outside world: a client behind the provider's gateway. */
export const outside = { gateway: "192.0.2.1", client: "192.0.2.10", prefixLength: 24 } as const;

export const kubernetes = {
  serviceCidr: "10.96.0.0/16",
  /** For Services of both families; pods have IPv4 alone. */
  serviceCidr6: "fd00:10:96::/112",
  apiService: "10.96.0.1",
  podCidr: "10.244.0.0/16",
  podCidrs: { n1: "10.244.1.0/24", n2: "10.244.2.0/24", n3: "10.244.3.0/24" } satisfies Record<NodeName, string>,
} as const;

/** The LoadBalancer Service that the client calls. */
export const publicService = { name: "echo", namespace: "default", address: "203.0.113.10", port: 80 } as const;
