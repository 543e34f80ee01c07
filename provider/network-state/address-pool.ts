import {
  checkPoolAddresses,
  derived,
  hasUnknown,
  interfaceName,
  type Mistake,
  type NetworkSpec,
  poolAddresses,
  sharedPoolAddresses,
} from "../../model/index.js";
import type { IpAddressPool } from "../kubernetes/kubernetes-client.js";

export const metallbVersion = "metallb.io/v1beta1";

/** Kinds of that version that a pool is made of. */
export const poolKinds = ["IPAddressPool", "L2Advertisement"] as const;

/** What a program says of the pool of a network. */
export interface AddressPoolArguments {
  /** Of both objects. */
  readonly name: string;
  /** MetalLB reads objects of its own namespace only. */
  readonly namespace: string;
  /** Ranges and prefixes; every address that customers can have when absent. */
  readonly addresses?: readonly string[];
}

/** What MetalLB is told of a network: its addresses, and where they are answered for. */
export interface AddressPool extends AddressPoolArguments {
  readonly addresses: readonly string[];
  /** The network's interface. */
  readonly interfaces: readonly string[];
  /** Labels of the nodes that carry the network; every node when absent. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

/** The pool of a checked network; what follows from an unknown value is unknown. */
export function addressPool(spec: NetworkSpec, wanted: AddressPoolArguments): AddressPool {
  return {
    name: wanted.name,
    namespace: wanted.namespace,
    addresses: wanted.addresses ?? derived(subnetsOf(spec), () => poolAddresses(spec.routing)),
    interfaces: [interfaceName(spec)],
    ...(spec.nodeSelector === undefined ? {} : { nodeSelector: spec.nodeSelector }),
  };
}

/** What is wrong with the pool that a program wants; paths start at the pool. */
export function addressPoolMistakes(spec: NetworkSpec, { addresses = [] }: AddressPoolArguments): readonly Mistake[] {
  return hasUnknown([...subnetsOf(spec), addresses]) ? [] : checkPoolAddresses(spec.routing, addresses);
}

/**
 * Why the pool cannot stand beside those that are there, and what to do; nothing when it can.
 * @param owner of the network: what it made itself is no obstacle, under whatever name
 */
export function overlappingPool(
  { addresses }: AddressPool,
  owner: string,
  held: readonly IpAddressPool[],
): string | undefined {
  if (hasUnknown([addresses, owner])) return undefined;
  for (const other of held.filter((pool) => pool.owner !== owner)) {
    const shared = sharedPoolAddresses(addresses, other.addresses);
    if (shared === undefined) continue;
    return (
      `${shared} overlaps IPAddressPool ${other.namespace}/${other.name}, and MetalLB takes no address in two pools; ` +
      "write addressPool.addresses beside it, or remove that pool first"
    );
  }
  return undefined;
}

/** Why a cluster that serves these kinds of MetalLB's cannot have a pool, and what to do; nothing when it can. */
export function missingPoolKinds(served: readonly string[]): string | undefined {
  const missing = poolKinds.filter((kind) => !served.includes(kind));
  if (missing.length === 0) return undefined;
  return (
    `the cluster has no ${missing.join(" and no ")} of ${metallbVersion}, of which an address pool is made; install MetalLB first ` +
    "(https://metallb.io/installation), in an earlier update or in this one with the network's option dependsOn, or leave addressPool out"
  );
}

function subnetsOf({ routing }: NetworkSpec): readonly string[] {
  return routing.flatMap(({ cidr, gateway, staticAddresses = [] }) => [
    cidr,
    gateway,
    ...staticAddresses.map(({ address }) => address),
  ]);
}
