import type { NetworkSpec, Routing } from "../configuration/configuration.js";
import { routingTable } from "../numbers/routing-table.js";
import { comparePrefixTexts } from "./compare.js";
import type { FilterPlan, Mark, PrefixMark } from "./node-plan.js";
import { segmentMtu } from "./segment-mtu.js";

/** Whether replies of this subnet's DNATed connections are marked. `auto` marks: marks are harmless where nothing DNATs. */
export function marksReplies(routing: Pick<Routing, "returnPath">): boolean {
  return routing.returnPath !== "source";
}

/** Where the segment's packets enter the node. */
export type Entrance = Pick<FilterPlan, "device" | "bridgeMac">;

/**
 * @param mtu of the interface; absent where only the node knows it. The gateway of a segment with a larger MTU has no cause to
 * tell by ICMP that a packet is too large, and pods may not get what the node tells them.
 */
export function planFilter(
  spec: NetworkSpec,
  markOf: (routing: Routing) => Mark | undefined,
  markDirection: FilterPlan["markDirection"],
  entrance: Entrance,
  mtu: number | undefined,
): FilterPlan {
  const subnets = spec.routing.toSorted((left, right) => comparePrefixTexts(left.cidr, right.cidr));
  const marks = subnets.map((subnet) => ({ subnet, mark: markOf(subnet) }));
  const main = marks.find(({ mark }) => mark !== undefined);
  const prefixMarks = marks
    .filter(({ mark }) => mark?.value !== main?.mark?.value)
    .map(({ subnet, mark }): PrefixMark => ({ prefix: subnet.cidr, ...(mark === undefined ? {} : { mark }) }));
  return {
    ...entrance,
    prefixes: subnets.map((subnet) => subnet.cidr),
    ...(main?.mark === undefined ? {} : { mark: main.mark }),
    ...(prefixMarks.length === 0 ? {} : { prefixMarks }),
    markDirection,
    segmentFilter: spec.segmentFilter ?? true,
    ...(mtu === undefined || mtu >= segmentMtu(spec) ? {} : { clampMtu: mtu }),
  };
}

/** Tables of these subnets whose replies are marked. */
export function markedTables(spec: NetworkSpec, subnets = spec.routing): readonly number[] {
  return subnets.filter(marksReplies).map((routing) => routingTable(spec, routing));
}
