import { parseAddress } from "../address/address.js";
import {
  type AddressRange,
  formatAddressRange,
  parseAddressRange,
  rangeContains,
  rangesOverlap,
} from "../address/address-range.js";
import { assignableRanges, without } from "../numbers/assignable-ranges.js";
import type { Routing } from "./configuration.js";
import type { Mistake } from "./mistake.js";

type Subnet = Pick<Routing, "cidr" | "gateway" | "staticAddresses">;

/** Every address of the subnets that MetalLB can give to customers, as ranges `FIRST-LAST`. */
export function poolAddresses(routing: readonly Subnet[]): readonly string[] {
  return routing.flatMap(poolRanges).map(formatAddressRange);
}

/** Without those that a node has by declaration: given to a Service they would have two owners. */
function poolRanges(subnet: Subnet): readonly AddressRange[] {
  const pinned = (subnet.staticAddresses ?? []).flatMap(({ address }) => parseAddress(address) ?? []);
  return pinned.reduce<readonly AddressRange[]>(
    (ranges, { family, value }) =>
      ranges.flatMap((range) => (range.family === family ? without(range, value) : [range])),
    assignableRanges(subnet),
  );
}

/** What is wrong with addresses that somebody chose for a pool of these subnets; paths start at the pool. */
export function checkPoolAddresses(routing: readonly Subnet[], addresses: readonly string[]): readonly Mistake[] {
  const assignable = routing.flatMap(poolRanges);
  const pinned = routing.flatMap(({ staticAddresses = [] }) => staticAddresses);
  return addresses.flatMap((value, index): Mistake[] => {
    const place = { path: `addresses[${index}]`, value };
    const range = parseAddressRange(value);
    if (range === undefined) {
      const remedy = "write ADDRESS/LENGTH or FIRST-LAST";
      return [{ ...place, code: "InvalidPrefix", message: "is neither a prefix nor a range of addresses", remedy }];
    }
    if (assignable.some((outer) => rangeContains(outer, range))) return [];
    const own = pinned.find(({ address }) =>
      rangesOf([`${address}-${address}`]).some((one) => rangeContains(range, one)),
    );
    if (own !== undefined) {
      const message = `holds ${own.address}, which is pinned to node ${own.node} (staticAddresses)`;
      const remedy = "leave it out of the pool, or out of staticAddresses";
      return [{ ...place, code: "NotAssignable", message, remedy }];
    }
    const message = "holds addresses that customers of this network cannot have";
    const remedy = `stay inside ${assignable.map(formatAddressRange).join(", ")}`;
    return [{ ...place, code: "NotAssignable", message, remedy }];
  });
}

/** The first of these addresses that others hold too, or nothing; MetalLB refuses pools that overlap. */
export function sharedPoolAddresses(addresses: readonly string[], others: readonly string[]): string | undefined {
  const held = rangesOf(others);
  return addresses.find((text) => rangesOf([text]).some((range) => held.some((other) => rangesOverlap(range, other))));
}

function rangesOf(texts: readonly string[]): readonly AddressRange[] {
  return texts.flatMap((text) => parseAddressRange(text) ?? []);
}
