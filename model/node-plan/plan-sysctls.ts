import { compareTexts } from "./compare.js";
import type { SysctlPlan } from "./node-plan.js";

/** What decides over the sysctls besides the interface. */
export interface SysctlContext {
  /** rp_filter of `all` is strict, and marks are set in both directions. */
  readonly validateByMark: boolean;
  /** The interface has IPv6, and with it these sysctls. */
  readonly ipv6: boolean;
}

/**
 * Only of our own interface; `all` and other interfaces belong to the administrator.
 *
 * rp_filter 0: our interface has no address, where even the loose check is the strict one and drops every request that
 * was DNATed (measured). Where `all` is stricter it wins over this value, and then marked requests pass with
 * src_valid_mark (measured). Router advertisements of the public segment must not configure the node.
 */
export function planSysctls(device: string, { validateByMark, ipv6: hasIpv6 }: SysctlContext): readonly SysctlPlan[] {
  const ipv4 = `net.ipv4.conf.${device}`;
  const ipv6 = `net.ipv6.conf.${device}`;
  const sysctls = [
    { name: `${ipv4}.rp_filter`, value: "0" },
    ...(hasIpv6
      ? [
          { name: `${ipv6}.accept_ra`, value: "0" },
          { name: `${ipv6}.autoconf`, value: "0" },
        ]
      : []),
    ...(validateByMark ? [{ name: `${ipv4}.src_valid_mark`, value: "1" }] : []),
  ];
  return sysctls.sort((left, right) => compareTexts(left.name, right.name));
}
