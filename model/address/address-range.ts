import type { Family } from "../node-plan/node-plan.js";
import { formatAddress, parseAddress } from "./address.js";
import { lastAddress, networkOf, parsePrefix } from "./prefix.js";

/** All addresses from `first` to `last`, both included. */
export interface AddressRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** `FIRST-LAST` or `ADDRESS/LENGTH`, the two forms that MetalLB takes; undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const prefix = parsePrefix(text);
  if (prefix !== undefined) {
    return { family: prefix.family, first: networkOf(prefix).value, last: lastAddress(prefix).value };
  }
  const [from = "", to = "", ...rest] = text.split("-");
  const [first, last] = [parseAddress(from.trim()), parseAddress(to.trim())];
  if (rest.length > 0 || first === undefined || last === undefined) return undefined;
  if (first.family !== last.family || first.value > last.value) return undefined;
  return { family: first.family, first: first.value, last: last.value };
}

export function formatAddressRange({ family, first, last }: AddressRange): string {
  return `${formatAddress({ family, value: first })}-${formatAddress({ family, value: last })}`;
}

export function rangeContains(outer: AddressRange, inner: AddressRange): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

export function rangesOverlap(left: AddressRange, right: AddressRange): boolean {
  return left.family === right.family && left.first <= right.last && right.first <= left.last;
}

export function rangeSize({ first, last }: AddressRange): bigint {
  return last - first + 1n;
}
