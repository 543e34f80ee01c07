import { comparePrefixes, containsPrefix, formatPrefix, type Prefix, parsePrefix } from "../address/prefix.js";
import { subtractPrefixes } from "../address/subtract-prefixes.js";
import { segmentInterface } from "../node-plan/link-parts.js";
import type { NodePlan } from "../node-plan/node-plan.js";

/** The network by whose table a node answers from a prefix. */
export interface PrefixRouter {
  readonly network: string;
  /** Interface of the segment; a network keeps it when it is renamed. */
  readonly segment: string;
  /** Interface of the routes. */
  readonly device: string;
  readonly table: number;
}

/** Addresses from which a node answers by one network before a change, and by one after it. */
export interface RoutedPart {
  /** Sorted. */
  readonly prefixes: readonly string[];
  readonly before?: PrefixRouter;
  readonly after?: PrefixRouter;
}

/** Cuts all prefixes of two plans into parts. Of prefixes that hold the same address the longest routes it, as its rules come first. */
export function routedParts(before: NodePlan, after: NodePlan): readonly RoutedPart[] {
  const [old, now] = [routersOf(before), routersOf(after)];
  const prefixes = [...new Set([...old.keys(), ...now.keys()])]
    .flatMap((text) => parsePrefix(text) ?? [])
    .toSorted(comparePrefixes);
  // Sorted like this a prefix stands behind all that hold it, and they are the stack.
  const stack: Nested[] = [];
  const all = prefixes.map((prefix): Nested => {
    while (stack.length > 0 && !containsPrefix((stack.at(-1) as Nested).prefix, prefix)) stack.pop();
    const outer = stack.at(-1);
    const text = formatPrefix(prefix);
    const entry: Nested = {
      prefix,
      before: old.get(text) ?? outer?.before,
      after: now.get(text) ?? outer?.after,
      inside: [],
    };
    outer?.inside.push(prefix);
    stack.push(entry);
    return entry;
  });
  return all.flatMap(({ prefix, inside, before: was, after: is }) => {
    const own = subtractPrefixes(prefix, inside).map(formatPrefix);
    if (own.length === 0) return [];
    return [
      { prefixes: own, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) },
    ];
  });
}

interface Nested {
  readonly prefix: Prefix;
  readonly before: PrefixRouter | undefined;
  readonly after: PrefixRouter | undefined;
  /** The next longer ones; those inside of these are theirs. */
  readonly inside: Prefix[];
}

/** By prefix: the network that has a rule of its own for it. */
export function routersOf({ networks }: NodePlan): ReadonlyMap<string, PrefixRouter> {
  return new Map(
    networks.flatMap(({ network, link, rules }) =>
      rules.flatMap(({ from, to, action }): [string, PrefixRouter][] =>
        from === undefined || to !== undefined || action.kind !== "lookup"
          ? []
          : [[from, { network, segment: segmentInterface(link), device: link.name, table: action.table }]],
      ),
    ),
  );
}
