import { tunnelOf } from "../node-plan/link-parts.js";
import type { NetworkPlan, PlanCondition } from "../node-plan/node-plan.js";
import { renderTxChecksum } from "../render/render-tx-checksum.js";
import type { ObservedLink, ObservedState } from "./observed-state.js";
import type { Operation } from "./operation.js";

export interface OffloadOperations {
  readonly operations: readonly Operation[];
  readonly conflicts: readonly PlanCondition[];
}

/**
 * What the offloads of a network's VXLAN interface need. The network is carried without them too: they matter only where what is
 * below it damages checksums.
 *
 * @param made interfaces that are new afterwards, with the kernel's defaults
 */
export function offloadOperations(
  { link }: Pick<NetworkPlan, "link">,
  { ethtoolFailure }: Pick<ObservedState, "ethtoolFailure">,
  links: ReadonlyMap<string, ObservedLink>,
  made: ReadonlySet<string>,
): OffloadOperations {
  const tunnel = tunnelOf(link);
  if (tunnel?.txChecksum === undefined) return nothing;
  if (ethtoolFailure !== undefined) {
    return { operations: [], conflicts: [ethtoolUnusable(tunnel.name, tunnel.txChecksum, ethtoolFailure)] };
  }
  const held = made.has(tunnel.name) ? undefined : links.get(tunnel.name)?.txChecksum;
  if (held === tunnel.txChecksum) return nothing;
  return { operations: renderTxChecksum(tunnel).map((command) => ({ kind: "ethtool", command })), conflicts: [] };
}

const nothing: OffloadOperations = { operations: [], conflicts: [] };

function ethtoolUnusable(device: string, txChecksum: boolean, failure: string): PlanCondition {
  return {
    reason: "EthtoolUnusable",
    message:
      `vxlan.txChecksum ${txChecksum ? "on" : "off"} cannot be set on ${device}: ${failure}; install ethtool as Debian 12 has it ` +
      "or newer (apt-get install ethtool), use the agent's own image, which has it, or leave vxlan.txChecksum out",
  };
}
