import type { Routing } from "../configuration/configuration.js";
import { ipv6Prefixes } from "../configuration/smallest-mtu.js";
import { ipv6MinimumMtu } from "../numbers/limits.js";
import type { PlanCondition } from "./node-plan.js";

/** Whether the kernel runs IPv6 on an interface with this MTU (addrconf_notify). */
export function carriesIpv6(mtu: number): boolean {
  return mtu >= ipv6MinimumMtu;
}

/** @param remedy what gives the interface enough */
export function ipv6MtuConditions(
  subnets: readonly Routing[],
  device: string,
  mtu: number,
  remedy: string,
): readonly PlanCondition[] {
  const prefixes = ipv6Prefixes(subnets);
  if (carriesIpv6(mtu) || prefixes.length === 0) return [];
  const message =
    `${device} carries ${mtu} bytes, and the kernel runs IPv6 on ${ipv6MinimumMtu} or more (RFC 8200 section 5): packets ` +
    `from ${prefixes.join(", ")} are refused on this node, while IPv4 works; ${remedy}`;
  return [{ reason: "MtuBelowIpv6", message }];
}
