import { addressBits } from "../address/address.js";
import type { Family } from "../node-plan/node-plan.js";

export interface RulePriorities {
  readonly exception: number;
  readonly mark: number;
  readonly markGuard: number;
  readonly source: number;
  readonly sourceGuard: number;
}

/**
 * Above the local table (0, or 100 under Cilium), VRFs (1000) and OVN-Kubernetes (2000), below OVN-Kubernetes (5000) and
 * Tailscale (5210), whose exit node must not swallow public traffic. Never without a number: the kernel would place
 * such a rule before all others (measured).
 */
const exceptionPriority = 3000;
const markPriority = 3900;
const firstSourcePriority = 4000;

/** The local table must be looked up before this, or packets to the node's own addresses would leave it. */
export const firstRulePriority = exceptionPriority;

/**
 * The longest prefix comes first, as in a routing table, whatever the order in the file; its guard stands right behind
 * it, so that a packet which its table cannot carry never meets a rule of a wider prefix.
 */
export function rulePriorities(family: Family, prefixLength: number): RulePriorities {
  const source = firstSourcePriority + 2 * (addressBits(family) - prefixLength);
  return {
    exception: exceptionPriority,
    mark: markPriority,
    markGuard: markPriority + 1,
    source,
    sourceGuard: source + 1,
  };
}

/** Behind the guard of the widest prefix; what is looked up later takes no packet before ours. */
export const lastRulePriority = Math.max(...([4, 6] as const).map((family) => rulePriorities(family, 0).sourceGuard));

/** Of the rule that looks up the main table, as the kernel makes it (fib_default_rules_init, fib6_rules_net_init). */
export const mainRulePriority = 32_766;
