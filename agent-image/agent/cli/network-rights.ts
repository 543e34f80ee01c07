import { readFileSync } from "node:fs";
import { type Capability, lackedCapabilities } from "../system/capabilities.js";

/** Without which the agent can do nothing, and what it does with them. */
const uses = {
  NET_ADMIN: "interfaces, routes, rules, nft and sysctl",
  NET_RAW: "ARP and Neighbor Discovery",
} as const satisfies Partial<Record<Capability, string>>;

/**
 * What this process lacks for changing the node's network; undefined when nothing.
 */
export function missingNetworkRights(): string | undefined {
  if (lackedCapabilities(ownStatus(), ["NET_ADMIN"]).length === 0) return undefined;
  return (
    `user ${user()} lacks the capability CAP_NET_ADMIN here, without which nft does not list its tables and nothing can be ` +
    "removed; run it as root, for example with sudo, and in a container with the capability NET_ADMIN"
  );
}

/** What this process lacks for being an agent; undefined when nothing. */
export function missingAgentRights(): string | undefined {
  const lacked = lackedCapabilities(ownStatus(), ["NET_ADMIN", "NET_RAW"]) as readonly (keyof typeof uses)[];
  if (lacked.length === 0) return undefined;
  const named = lacked.map((name) => `CAP_${name} (${uses[name]})`).join(" and ");
  return (
    `user ${user()} lacks ${named} here: in a pod add ${lacked.join(" and ")} to the container's ` +
    "securityContext.capabilities.add, on a host run it as root"
  );
}

function ownStatus(): string {
  return readFileSync("/proc/self/status", "utf8");
}

function user(): string {
  return String(process.geteuid?.() ?? "?");
}
