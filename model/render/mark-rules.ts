import { comparePrefixes, containsPrefix, familyOf, type Prefix, parsePrefix } from "../address/prefix.js";
import type { FilterPlan, Mark } from "../node-plan/node-plan.js";
import { addressKeyword, type NftChain, type NftRule } from "./nft-chains.js";
import { hexadecimal, renderMarkValue } from "./render-mark.js";
import type { Symbolic } from "./symbolic.js";

interface MarkRule extends NftRule {
  readonly prefixLength: number;
}

/**
 * A reply of a DNATed connection is routed before it gets its public source back; the connection's original destination
 * tells the network. Only our bits of the mark are written: the others belong to the service proxy and the CNI. Nothing
 * ends the chain, so the last rule that matches decides: longer prefixes stand behind shorter ones, as in a routing table
 * the longest wins.
 */
export function markRules(filters: readonly Symbolic<FilterPlan>[]): readonly NftRule[] {
  return [...filters.flatMap(settingRules), ...clearingRules(filters)]
    .toSorted((left, right) => left.prefixLength - right.prefixLength)
    .map(({ chain, text }) => ({ chain, text }));
}

function settingRules(filter: Symbolic<FilterPlan>): readonly MarkRule[] {
  return filter.prefixes.flatMap((prefix): readonly MarkRule[] => {
    const mark = markOf(filter, prefix);
    if (mark === undefined) return [];
    const value = `meta mark set meta mark and ${hexadecimal(~mark.mask)} or ${renderMarkValue(mark.value)}`;
    return assignments(filter.device, prefix, value, filter.markDirection);
  });
}

function markOf(filter: Symbolic<FilterPlan>, prefix: string): Symbolic<Mark> | undefined {
  const own = filter.prefixMarks?.find((entry) => entry.prefix === prefix);
  return own === undefined ? filter.mark : own.mark;
}

function assignments(
  device: string,
  prefix: string,
  assign: string,
  direction: FilterPlan["markDirection"],
): readonly MarkRule[] {
  const prefixLength = parsePrefix(prefix)?.length ?? 0;
  const original = `ct original ${addressKeyword[familyOf(prefix)]} daddr ${prefix}`;
  const rule = (chain: NftChain, text: string): MarkRule => ({ chain, text, prefixLength });
  const reply = `ct direction reply ${original} ${assign}`;
  // The reverse path check for which requests are marked is one of IPv4 alone (fib_validate_source).
  const marksRequests = direction === "both" && familyOf(prefix) === 4;
  const request = rule("mark_input", `iifname ${device} ct direction original ${original} ${assign}`);
  return [
    rule("mark_input", `iifname != ${device} ${reply}`),
    ...(marksRequests ? [request] : []),
    rule("mark_output", reply),
  ];
}

interface FilteredPrefix {
  readonly device: string;
  readonly text: string;
  readonly prefix: Prefix;
  readonly mark: Symbolic<Mark> | undefined;
}

/**
 * A prefix without marks that lies inside a prefix with marks: its replies lose what the rule of the wider one gives them,
 * or they would leave by that network. The same prefix may be marked in another network, which then has taken it over.
 */
function clearingRules(filters: readonly Symbolic<FilterPlan>[]): readonly MarkRule[] {
  const prefixes = filters
    .flatMap((filter) => filter.prefixes.flatMap((text) => filteredPrefix(filter, text)))
    .toSorted((left, right) => comparePrefixes(left.prefix, right.prefix));
  const marked = new Set(prefixes.flatMap(({ mark, text }) => (mark === undefined ? [] : [text])));
  const around: FilteredPrefix[] = [];
  return prefixes.flatMap((inner): readonly MarkRule[] => {
    while (!isInside(inner, around.at(-1))) around.pop();
    const outer = around.at(-1);
    if (inner.mark !== undefined) around.push(inner);
    if (inner.mark !== undefined || outer?.mark === undefined || marked.has(inner.text)) return [];
    const value = `meta mark set meta mark and ${hexadecimal(~outer.mark.mask)}`;
    return assignments(inner.device, inner.text, value, "reply");
  });
}

/** Everything is inside nothing in particular. */
function isInside(inner: FilteredPrefix, outer: FilteredPrefix | undefined): boolean {
  return outer === undefined || containsPrefix(outer.prefix, inner.prefix);
}

function filteredPrefix(filter: Symbolic<FilterPlan>, text: string): readonly FilteredPrefix[] {
  const prefix = parsePrefix(text);
  return prefix === undefined ? [] : [{ device: filter.device, text, prefix, mark: markOf(filter, text) }];
}
