import { addressBits } from "./address.js";
import { comparePrefixes, containsPrefix, formatPrefix, networkOf, type Prefix, parsePrefix } from "./prefix.js";

/** What is left of a prefix without others, as few prefixes as possible, sorted. */
export function subtractPrefixes(from: Prefix, without: readonly Prefix[]): readonly Prefix[] {
  if (without.some((other) => containsPrefix(other, from))) return [];
  const inside = without.filter((other) => containsPrefix(from, other));
  if (inside.length === 0) return [from];
  return halvesOf(from).flatMap((half) => subtractPrefixes(half, inside));
}

/** The part of a set of prefixes that is not in another set; texts of valid prefixes, sorted. */
export function uncovered(prefixes: readonly string[], covering: readonly string[]): readonly string[] {
  const covers = covering.flatMap((text) => parsePrefix(text) ?? []);
  return prefixes
    .flatMap((text) => parsePrefix(text) ?? [])
    .flatMap((prefix) => subtractPrefixes(prefix, covers))
    .toSorted(comparePrefixes)
    .map(formatPrefix);
}

/** The two prefixes of one bit more, which together are the whole. A single address has none. */
function halvesOf(prefix: Prefix): readonly Prefix[] {
  const { family, value } = networkOf(prefix);
  const length = prefix.length + 1;
  if (length > addressBits(family)) return [];
  return [
    { family, value, length },
    { family, value: value | (1n << BigInt(addressBits(family) - length)), length },
  ];
}
