import { compareTexts } from "./compare.js";
import { interfaceSysctl } from "./interface-sysctl.js";
import type { SysctlPlan } from "./node-plan.js";

/** What decides over the sysctls besides the interface. */
export interface SysctlContext {
  /** rp_filter of `all` is strict, and marks are set in both directions. */
  readonly validateByMark: boolean;
  /** The interface has IPv6, and with it these sysctls. */
  readonly ipv6: boolean;
  /** The network has an IPv6 subnet. */
  readonly ipv6Subnets: boolean;
}

/**
 * Only of our own interface; `all` and other interfaces belong to the administrator.
 *
 * rp_filter 0: our interface has no address, where even the loose check is the strict one and drops every request that
 * was DNATed (measured). Where `all` is stricter it wins over this value, and then marked requests pass with
 * src_valid_mark (measured). Router advertisements of the public segment must not configure the node. On a node whose
 * administrator switched IPv6 off for all and for new interfaces, the kernel still runs it where the interface's own value
 * says so (measured): a network with an IPv6 subnet asks for it, and after the two that keep advertisements out.
 */
export function planSysctls(device: string, context: SysctlContext): readonly SysctlPlan[] {
  const ipv6 = (parameter: string): SysctlPlan => ({ name: interfaceSysctl("ipv6", device, parameter), value: "0" });
  const sysctls = [
    { name: interfaceSysctl("ipv4", device, "rp_filter"), value: "0" },
    ...(context.ipv6 ? [ipv6("accept_ra"), ipv6("autoconf")] : []),
    ...(context.ipv6 && context.ipv6Subnets ? [ipv6("disable_ipv6")] : []),
    ...(context.validateByMark ? [{ name: interfaceSysctl("ipv4", device, "src_valid_mark"), value: "1" }] : []),
  ];
  return sysctls.sort((left, right) => compareTexts(left.name, right.name));
}
