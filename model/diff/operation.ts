import type { SysctlPlan } from "../node-plan/node-plan.js";
import { nftFamily, nftTableName } from "../ownership/nft-table.js";
import { renderSysctl } from "../render/render-sysctl.js";

/** One change of the kernel. */
export type Operation =
  /** A command of `ip` or `bridge` as it would be typed; see the model's rendering. */
  | { readonly kind: "ip" | "bridge"; readonly command: string }
  /** A setting of an interface that iproute2 does not know. */
  | { readonly kind: "ethtool"; readonly command: string }
  | { readonly kind: "sysctl"; readonly sysctl: SysctlPlan }
  /** Replaces our nft table whole; without a ruleset the table is deleted. */
  | { readonly kind: "filter"; readonly ruleset?: string };

export function ip(command: string): Operation {
  return { kind: "ip", command };
}

export function bridge(command: string): Operation {
  return { kind: "bridge", command };
}

/**
 * As a shell takes it, to be pasted as root. The nft table is replaced in one transaction, so this is more than one line. The shell
 * leaves a ruleset as it is, except where a variable stands for what only the node knows.
 */
export function renderOperation(operation: Operation): string {
  if (operation.kind !== "filter" || operation.ruleset === undefined) return operationText(operation);
  const delimiter = operation.ruleset.includes("$") ? "EOF" : "'EOF'";
  return `nft -f - <<${delimiter}\n${operation.ruleset}EOF`;
}

/** In one line, for logs and status. */
export function operationText(operation: Operation): string {
  switch (operation.kind) {
    case "sysctl":
      return renderSysctl(operation.sysctl);
    case "filter":
      return operation.ruleset === undefined
        ? `nft delete table ${nftFamily} ${nftTableName}`
        : `nft replace table ${nftFamily} ${nftTableName}`;
    default:
      return operation.command;
  }
}
