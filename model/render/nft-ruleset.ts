import { compareTexts } from "../node-plan/compare.js";
import type { FilterPlan } from "../node-plan/node-plan.js";
import { nftFamily, nftTableName } from "../ownership/nft-table.js";
import { clampRules } from "./clamp-rules.js";
import { segmentRules } from "./filter-rules.js";
import { markRules } from "./mark-rules.js";
import { type NftChain, nftChains } from "./nft-chains.js";

/**
 * Text for `nft -f -` that replaces the node's whole table in one transaction: no packet ever meets half of it. Without
 * filters the table goes. Adding before deleting lets the same text work whether the table exists or not.
 */
export function nftRuleset(filters: readonly FilterPlan[]): string {
  const table = `${nftFamily} ${nftTableName}`;
  const replace = `add table ${table}\ndelete table ${table}\n`;
  if (filters.length === 0) return replace;
  const sorted = filters.toSorted((left, right) => compareTexts(left.device, right.device));
  const rules = [...sorted.flatMap(segmentRules), ...markRules(sorted), ...sorted.flatMap(clampRules)];
  const chains = Object.entries(nftChains).flatMap(([chain, hook]) => {
    const lines = rules.filter((rule) => rule.chain === (chain as NftChain)).map(({ text }) => `    ${text}\n`);
    // A chain without rules would still be a stop for each packet.
    return lines.length === 0 ? [] : [`  chain ${chain} {\n    ${hook}\n${lines.join("")}  }\n`];
  });
  return `${replace}table ${table} {\n${chains.join("")}}\n`;
}
