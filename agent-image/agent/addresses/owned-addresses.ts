import { type Address, formatAddress, parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/address/prefix.js";
import { type AddressFact, isOwnAddress, type StaticAddressPlan } from "../../../model/index.js";
import type { ServiceKey } from "./claim.js";
import type { KeptClaim } from "./claim-store.js";

export interface AddressedNetwork {
  readonly network: string;
  readonly device: string;
  readonly prefixes: readonly string[];
  /** What this node has of it by declaration. */
  readonly staticAddresses?: readonly Pick<StaticAddressPlan, "address">[];
}

export type AddressSource =
  | {
      readonly kind: "metallb";
      readonly service: ServiceKey;
      /** MetalLB does not answer on our interface: its L2Advertisement names others. */
      readonly elsewhere: boolean;
    }
  | { readonly kind: "interface"; readonly device: string }
  /** Pinned to this node by declaration, and installed. */
  | { readonly kind: "static" };

export interface OwnedAddress {
  readonly network: string;
  readonly address: string;
  readonly source: AddressSource;
}

export interface OwnershipInput {
  readonly nodeName: string;
  readonly networks: readonly AddressedNetwork[];
  readonly claims: readonly KeptClaim[];
  /** Addresses of every LoadBalancer Service, whoever answers for them. */
  readonly serviceAddresses: readonly string[];
  readonly kernelAddresses: readonly AddressFact[];
}

/**
 * The addresses that this node answers for now, sorted by network and address: those of the Services whose claim is
 * ours, those that are pinned to it and installed, and those that somebody has put on lo or on the network's own interface. One
 * that we have installed and that is not pinned here any more is not owned, even while it is still there. Other interfaces do not count (kube-ipvs0 holds
 * every Service's address on every node), nor does an address there that belongs to a Service.
 */
export function ownedAddresses(input: OwnershipInput): readonly OwnedAddress[] {
  const owned = new Map<string, OwnedAddress>();
  const networksOf = networksByPrefix(input.networks);
  const add = (network: AddressedNetwork, address: string, source: AddressSource): void => {
    const key = `${network.network} ${address}`;
    if (!owned.has(key)) {
      owned.set(key, { network: network.network, address, source });
    }
  };

  for (const { address, text, claim } of latestClaims(input.claims)) {
    if (claim.node === input.nodeName) {
      for (const network of networksOf(address)) {
        const elsewhere = claim.interfaces.length > 0 && !claim.interfaces.includes(network.device);
        add(network, text, { kind: "metallb", service: claim.service, elsewhere });
      }
    }
  }

  const held = input.kernelAddresses.flatMap((fact) => {
    const { device, address: written, tentative } = fact;
    const address = parseAddress(written);
    // Until it is known that nobody else has it, an address must not be claimed (RFC 4862 section 5.4), nor when somebody has.
    return address === undefined || tentative
      ? []
      : networksOf(address)
          .filter((network) => device === "lo" || device === network.device)
          .map((network) => ({ network, device, address: formatAddress(address), installed: isOwnAddress(fact) }));
  });
  // A node holds few of them and a cluster has many Services, whose addresses are read only where it matters.
  const ofServices = new Set(held.length === 0 ? [] : input.serviceAddresses.flatMap(canonicalAddress));
  for (const { network, device, address, installed } of held) {
    if (ofServices.has(address)) continue;
    if (device === network.device && pins(network, address)) add(network, address, { kind: "static" });
    else if (!installed) add(network, address, { kind: "interface", device });
  }

  return [...owned].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, address]) => address);
}

interface ClaimedAddress {
  readonly address: Address;
  /** Canonical. */
  readonly text: string;
  readonly claim: KeptClaim;
}

/**
 * One claim for each address. Several Services may share one (metallb.io/allow-shared-ip), which MetalLB moves together but
 * tells of one after the other: the latest word counts for all of them, so that no two nodes answer for it.
 */
function latestClaims(claims: readonly KeptClaim[]): Iterable<ClaimedAddress> {
  const latest = new Map<string, ClaimedAddress>();
  for (const claim of claims) {
    for (const address of claim.addresses.flatMap((written) => parseAddress(written) ?? [])) {
      const text = formatAddress(address);
      const known = latest.get(text);
      if (known === undefined || claim.statedAt > known.claim.statedAt) {
        latest.set(text, { address, text, claim });
      }
    }
  }
  return latest.values();
}

function canonicalAddress(written: string): readonly string[] {
  const address = parseAddress(written);
  return address === undefined ? [] : [formatAddress(address)];
}

/**
 * Of nested prefixes the longest holds the address alone, as in the rules that route it. Prefixes are read once: a node has
 * hundreds of networks and thousands of addresses, and this is asked with each event.
 */
function networksByPrefix(networks: readonly AddressedNetwork[]): (address: Address) => readonly AddressedNetwork[] {
  const prefixes = networks.flatMap((network) =>
    network.prefixes.flatMap((text) => {
      const prefix = parsePrefix(text);
      return prefix === undefined ? [] : [{ network, prefix }];
    }),
  );
  return (address) => {
    const holding = prefixes.filter(({ prefix }) => containsAddress(prefix, address));
    const longest = Math.max(...holding.map(({ prefix }) => prefix.length));
    return holding.filter(({ prefix }) => prefix.length === longest).map(({ network }) => network);
  };
}

function pins({ staticAddresses = [] }: AddressedNetwork, address: string): boolean {
  return staticAddresses.some((pinned) => pinned.address === address);
}

/** By network: what is pinned to this node and a Service has, so that MetalLB says who answers for it. */
export function staticAddressesOfServices(
  networks: readonly AddressedNetwork[],
  serviceAddresses: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const pinned = networks.filter(({ staticAddresses = [] }) => staticAddresses.length > 0);
  if (pinned.length === 0) return new Map();
  const ofServices = new Set(serviceAddresses.flatMap(canonicalAddress));
  return new Map(
    pinned.flatMap(({ network, staticAddresses = [] }): [string, readonly string[]][] => {
      const both = staticAddresses.map(({ address }) => address).filter((address) => ofServices.has(address));
      return both.length === 0 ? [] : [[network, both]];
    }),
  );
}
