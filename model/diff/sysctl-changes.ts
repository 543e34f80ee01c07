import { familyOf } from "../address/prefix.js";
import { interfaceSysctl } from "../node-plan/interface-sysctl.js";
import type { NetworkPlan, NodePlan, SysctlPlan } from "../node-plan/node-plan.js";
import { factSysctls } from "./node-facts.js";
import type { ObservedState } from "./observed-state.js";

/** Whether the kernel runs no IPv6 on an interface. */
export function disableIpv6Sysctl(device: string): string {
  return interfaceSysctl("ipv6", device, "disable_ipv6");
}

/** What a comparison with a plan has to know of the kernel's parameters. */
export function observedSysctls(plan: NodePlan | undefined): readonly string[] {
  const names = (plan?.networks ?? []).flatMap(({ link, sysctls, filter }) => [
    ...sysctls.map(({ name }) => name),
    ...(link.kind === "adopted" && filter.prefixes.some((prefix) => familyOf(prefix) === 6)
      ? [disableIpv6Sysctl(link.name)]
      : []),
  ]);
  return [...factSysctls, ...names];
}

/** What makes the parameters of a network's interface those of its plan; a new interface has none of them yet. */
export function sysctlChanges(
  { sysctls }: NetworkPlan,
  observed: Pick<ObservedState, "sysctls">,
  isNew: boolean,
): readonly SysctlPlan[] {
  return sysctls.filter(({ name, value }) => isNew || observed.sysctls[name] !== value);
}
