import { formatAddress, parseAddress } from "../../../model/address/address.js";
import { containsAddress, parsePrefix } from "../../../model/address/prefix.js";
import type { AddressFact } from "../../../model/index.js";
import type { ServiceKey } from "./claim.js";
import type { KeptClaim } from "./claim-store.js";

export interface AddressedNetwork {
  readonly network: string;
  readonly device: string;
  readonly prefixes: readonly string[];
}

export type AddressSource =
  | {
      readonly kind: "metallb";
      readonly service: ServiceKey;
      /** MetalLB does not answer on our interface: its L2Advertisement names others. */
      readonly elsewhere: boolean;
    }
  | { readonly kind: "interface"; readonly device: string };

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
 * ours, and those that lie on lo or on the network's own interface. Other interfaces do not count (kube-ipvs0 holds
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

  for (const [address, claim] of latestClaims(input.claims)) {
    if (claim.node === input.nodeName) {
      for (const network of networksOf(address)) {
        const elsewhere = claim.interfaces.length > 0 && !claim.interfaces.includes(network.device);
        add(network, address, { kind: "metallb", service: claim.service, elsewhere });
      }
    }
  }

  const ofServices = new Set(input.serviceAddresses.map(canonicalAddress));
  for (const { device, address: written } of input.kernelAddresses) {
    const address = canonicalAddress(written);
    for (const network of networksOf(address)) {
      if ((device === "lo" || device === network.device) && !ofServices.has(address)) {
        add(network, address as string, { kind: "interface", device });
      }
    }
  }

  return [...owned].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, address]) => address);
}

/**
 * By address. Several Services may share one (metallb.io/allow-shared-ip), which MetalLB moves together but tells of one
 * after the other: the latest word counts for all of them, so that no two nodes answer for it.
 */
function latestClaims(claims: readonly KeptClaim[]): ReadonlyMap<string, KeptClaim> {
  const latest = new Map<string, KeptClaim>();
  for (const claim of claims) {
    for (const written of claim.addresses) {
      const address = canonicalAddress(written);
      const known = address === undefined ? undefined : latest.get(address);
      if (address !== undefined && (known === undefined || claim.statedAt > known.statedAt)) {
        latest.set(address, claim);
      }
    }
  }
  return latest;
}

function canonicalAddress(written: string): string | undefined {
  const address = parseAddress(written);
  return address === undefined ? undefined : formatAddress(address);
}

/**
 * Of nested prefixes the longest holds the address alone, as in the rules that route it. Prefixes are read once: a node has
 * hundreds of networks and thousands of addresses, and this is asked with each event.
 */
function networksByPrefix(
  networks: readonly AddressedNetwork[],
): (written: string | undefined) => readonly AddressedNetwork[] {
  const prefixes = networks.flatMap((network) =>
    network.prefixes.flatMap((text) => {
      const prefix = parsePrefix(text);
      return prefix === undefined ? [] : [{ network, prefix }];
    }),
  );
  return (written) => {
    const address = written === undefined ? undefined : parseAddress(written);
    if (address === undefined) {
      return [];
    }
    const holding = prefixes.filter(({ prefix }) => containsAddress(prefix, address));
    const longest = Math.max(...holding.map(({ prefix }) => prefix.length));
    return holding.filter(({ prefix }) => prefix.length === longest).map(({ network }) => network);
  };
}
