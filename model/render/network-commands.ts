import { tunnelOf } from "../node-plan/link-parts.js";
import type { LinkPlan, NetworkPlan, StaticAddressPlan } from "../node-plan/node-plan.js";
import { nftFamily, nftTableName } from "../ownership/nft-table.js";
import { filterRules } from "./filter-rules.js";
import { type NftRule, nftChains } from "./nft-chains.js";
import { renderAddress, renderAddressOfNode } from "./render-address.js";
import { renderFlood, renderFloodToOthers } from "./render-flood.js";
import { renderLink, renderLinkUp } from "./render-link.js";
import { renderRoute } from "./render-route.js";
import { renderRule } from "./render-rule.js";
import { renderSysctl } from "./render-sysctl.js";
import { renderTxChecksum } from "./render-tx-checksum.js";
import { type Symbolic, vtepVariable } from "./symbolic.js";

type CommandPlan = Pick<
  NetworkPlan,
  "link" | "sysctls" | "filter" | "flood" | "routes" | "rules" | "staticAddresses"
> & {
  /** Where no node is named yet: whose each address is. */
  readonly addressesOfNodes?: readonly { readonly node: string; readonly address: StaticAddressPlan }[];
};

/**
 * The commands that make one network on a node which does not have it yet, to be pasted into a shell as root. In a safe
 * order: the filter before the interface is up, routes before the rules that lead to them, exceptions before both.
 */
export function networkCommands(plan: Symbolic<CommandPlan>): readonly string[] {
  const filter = filterRules(plan.filter);
  return [
    ...renderLink(plan.link),
    ...renderOffload(plan.link),
    ...plan.sysctls.map(renderSysctl),
    ...(filter.length === 0 ? [] : renderFilter(filter)),
    ...renderLinkUp(plan.link),
    ...(plan.staticAddresses ?? []).map(renderAddress),
    ...(plan.addressesOfNodes ?? []).map(({ node, address }) => renderAddressOfNode(address, node)),
    ...renderFloodEntries(plan.link, plan.flood),
    ...plan.routes.map(renderRoute),
    ...plan.rules.map(renderRule),
  ];
}

function renderOffload(link: Symbolic<LinkPlan>): readonly string[] {
  const tunnel = tunnelOf(link);
  return tunnel === undefined ? [] : renderTxChecksum(tunnel);
}

function renderFloodEntries(link: Symbolic<LinkPlan>, vteps: readonly string[]): readonly string[] {
  const tunnel = tunnelOf(link);
  if (tunnel === undefined) return [];
  return vteps.map((vtep) =>
    tunnel.local === vtepVariable
      ? renderFloodToOthers(tunnel.name, vtep, vtepVariable)
      : renderFlood(tunnel.name, vtep),
  );
}

/** Double quotes, so that the shell fills in `$MARK`; the table may exist already, as the node's networks share it. */
function renderFilter(rules: readonly NftRule[]): readonly string[] {
  const table = `${nftFamily} ${nftTableName}`;
  return [
    `nft "add table ${table}"`,
    ...Object.entries(nftChains)
      .filter(([chain]) => rules.some((rule) => rule.chain === chain))
      .map(([chain, hook]) => `nft "add chain ${table} ${chain} { ${hook} }"`),
    ...rules.map(({ chain, text }) => `nft "add rule ${table} ${chain} ${text}"`),
  ];
}
