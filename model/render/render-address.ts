import { addressBits } from "../address/address.js";
import type { StaticAddressPlan } from "../node-plan/node-plan.js";
import { addressMetric } from "../ownership/address-metric.js";
import { shellWord } from "./shell-word.js";
import { nodeVariable } from "./symbolic.js";

/**
 * For itself alone and without a route: the network's own table has the prefix, and the main table must not learn of it. Without
 * duplicate detection, which would keep an IPv6 address silent for a second, and for good where its former node still answers.
 */
export function renderAddress({ family, address, device }: StaticAddressPlan): string {
  const [program, nodad] = family === 6 ? ["ip -6", " nodad"] : ["ip", ""];
  return `${program} address add ${address}/${addressBits(family)} dev ${device} noprefixroute${nodad} metric ${addressMetric}`;
}

/** Where the node's name is still a variable: one list serves every node. */
export function renderAddressOfNode(plan: StaticAddressPlan, node: string): string {
  return `[ "${nodeVariable}" != ${shellWord(node)} ] || ${renderAddress(plan)}`;
}
