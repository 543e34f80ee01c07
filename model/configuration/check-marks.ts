import { marksReplies } from "../node-plan/plan-filter.js";
import { type Cni, cniTitle } from "../numbers/cni.js";
import { markCapacity, markMaskOf } from "../numbers/marks.js";
import { segmentId } from "../numbers/routing-table.js";
import type { NetworkFinding } from "./check-networks.js";
import type { UnnamedNetwork } from "./schema.js";
import { hasUnknown, isUnknown } from "./unknown-value.js";

/**
 * More marked tables than marks. Only what certainly meets on a node counts: networks without nodeSelector, and beside
 * them those of one selector. What else meets on a node, the node says itself (`MarksExhausted`).
 */
export function markFindings(
  networks: readonly (UnnamedNetwork | undefined)[],
  cni: Cni | undefined,
): readonly NetworkFinding[] {
  const capacity = markCapacity(markMaskOf(cni));
  const everywhere = new Set<number>();
  const bySelector = new Map<string, Set<number>>();
  const findings: NetworkFinding[] = [];
  for (const { network, subnet, table, selector } of networks.flatMap(markedSubnets).sort(everywhereFirst)) {
    const own = bySelector.get(selector) ?? new Set();
    bySelector.set(selector, own);
    const tables = selector === "" ? everywhere : own;
    if (everywhere.has(table) || tables.has(table)) continue;
    const used = everywhere.size + own.size;
    tables.add(table);
    // One more than fits is told once: the rest follows from it.
    if (used !== capacity) continue;
    const beside = cni === undefined ? "" : ` beside ${cniTitle(cni)}`;
    const plural = capacity === 1 ? "1 network" : `${capacity} networks`;
    const finding = {
      code: "MarksExhausted",
      path: ["routing", subnet, "returnPath"],
      message: `has no packet mark left: 0x${markMaskOf(cni).toString(16)} tells ${plural} of a node apart${beside}`,
      remedy: "set routing.returnPath: source in networks whose addresses nothing on the node rewrites",
    } as const;
    findings.push({ network, finding });
    if (selector === "") break;
  }
  return findings;
}

interface MarkedSubnet {
  readonly network: number;
  readonly subnet: number;
  readonly table: number;
  /** Empty for every node. */
  readonly selector: string;
}

function markedSubnets(network: UnnamedNetwork | undefined, index: number): readonly MarkedSubnet[] {
  if (network === undefined || hasUnknown(network.nodeSelector)) return [];
  const labels = Object.entries(network.nodeSelector ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
  const selector = labels.length === 0 ? "" : JSON.stringify(labels);
  return network.routing.flatMap((routing, subnet): readonly MarkedSubnet[] => {
    const table = routing.table ?? segmentId(network);
    if (isUnknown(table) || isUnknown(routing.returnPath) || !marksReplies(routing)) return [];
    return [{ network: index, subnet, table, selector }];
  });
}

function everywhereFirst(left: MarkedSubnet, right: MarkedSubnet): number {
  return Number(left.selector !== "") - Number(right.selector !== "") || left.network - right.network;
}
