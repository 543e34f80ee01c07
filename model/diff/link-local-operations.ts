import { linkLocalAddress } from "../address/link-local.js";
import type { NetworkPlan } from "../node-plan/node-plan.js";
import type { ObservedLink, ObservedState } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";
import { disableIpv6Sysctl } from "./sysctl-changes.js";

/**
 * Gives an interface of ours its link-local address back, where the network has IPv6: neighbour discovery asks with it as its source
 * (RFC 4861 section 7.2.2), for the interface has no other, and without it finds no host of the segment (measured). The kernel makes it when the interface comes up, and not
 * again while it stays up; of what brings it back, the address alone disturbs nothing else (a change of addr_gen_mode over netlink
 * does nothing, over sysctl it goes through a mode without addresses; measured on 6.18).
 *
 * @param held what the interface is now; undefined where it is made in this pass, and has its address from the kernel
 */
export function linkLocalOperations(
  { link, routes }: NetworkPlan,
  held: ObservedLink | undefined,
  { sysctls }: Pick<ObservedState, "sysctls">,
): readonly Operation[] {
  if (link.kind === "adopted" || held?.withoutLinkLocal !== true || !routes.some(({ family }) => family === 6))
    return [];
  // Switched on in this pass, and the kernel makes the address with it.
  if (sysctls[disableIpv6Sysctl(link.name)] === "1") return [];
  const mac = "mac" in link ? link.mac : held.mac;
  if (mac === undefined) return [];
  return [ip(`ip -6 address add ${linkLocalAddress(mac)}/64 dev ${link.name} scope link`)];
}
