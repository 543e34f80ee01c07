import { sortedRecord } from "./sorted-record.js";

/** Something that a node lacks, or has in a wrong state: what, and how it is. */
export type NodeLacks = Readonly<Record<string, string>>;

/** Lacks by node, only of nodes that lack something, sorted by name. */
export type LacksByNode = Readonly<Record<string, NodeLacks>>;

/** Where the drift of the cluster's objects stands, beside the nodes'; no node can have this name (RFC 1123). */
export const clusterEntry = "(cluster)";

/** Keeps the nodes that lack something, sorted, so that equal states are equal texts. */
export function lacksByNode(entries: Iterable<readonly [string, NodeLacks]>): LacksByNode {
  return sortedRecord([...entries].filter(([, lacks]) => Object.keys(lacks).length > 0));
}

/** One sentence part for each node, for progress lines and errors: `n2: session 10.0.7.20 is Active`. */
export function describeLacks(lacks: LacksByNode): readonly string[] {
  return Object.entries(lacks).map(
    ([node, facts]) =>
      `${node}: ${Object.entries(facts)
        .map(([what, state]) => `${what} is ${state}`)
        .join(", ")}`,
  );
}
