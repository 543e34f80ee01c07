import { familyOf } from "../address/prefix.js";
import { interfaceSysctl } from "../node-plan/interface-sysctl.js";
import type { NetworkPlan, NodePlan, SysctlPlan } from "../node-plan/node-plan.js";
import { factSysctls } from "./node-facts.js";
import type { ObservedState } from "./observed-state.js";

/** Whether the kernel runs no IPv6 on an interface. */
export function disableIpv6Sysctl(device: string): string {
  return interfaceSysctl("ipv6", device, "disable_ipv6");
}

/** What a new interface starts with: the kernel copies these values to it. */
const newInterface = "default";

/** What a plan sets on an interface of ours in some configurations alone: under strict rp_filter, for an IPv6 subnet. */
const occasional = [
  { family: "ipv4", parameter: "src_valid_mark", value: "1" },
  { family: "ipv6", parameter: "disable_ipv6", value: "0" },
] as const;

/** What a new interface has of these where no administrator says otherwise (ip-sysctl.rst): on a desk nobody knows more. */
export const kernelStartValues: Readonly<Record<string, string>> = Object.fromEntries(
  occasional.map(({ family, parameter }) => [interfaceSysctl(family, newInterface, parameter), "0"]),
);

/** What a comparison with a plan has to know of the kernel's parameters. */
export function observedSysctls(plan: NodePlan | undefined): readonly string[] {
  const names = (plan?.networks ?? []).flatMap(({ link, sysctls, filter }) => [
    ...new Set([
      ...sysctls.map(({ name }) => name),
      ...(link.kind === "adopted"
        ? []
        : occasional.map((one) => interfaceSysctl(one.family, link.name, one.parameter))),
    ]),
    ...(link.kind === "adopted" && filter.prefixes.some((prefix) => familyOf(prefix) === 6)
      ? [disableIpv6Sysctl(link.name)]
      : []),
  ]);
  return [...factSysctls, ...Object.keys(kernelStartValues), ...names];
}

/** What makes the parameters of a network's interface those of its plan; a new interface has none of them yet. */
export function sysctlChanges(
  { sysctls }: NetworkPlan,
  observed: Pick<ObservedState, "sysctls">,
  isNew: boolean,
): readonly SysctlPlan[] {
  return sysctls.filter(({ name, value }) => isNew || observed.sysctls[name] !== value);
}

/**
 * Parameters of an interface that an earlier plan set and this one does not: they become what they would be on a new interface. Another
 * value than ours is somebody else's. After the routes have gone, which the kernel takes away with IPv6.
 */
export function sysctlsGivenUp(
  { link, sysctls }: NetworkPlan,
  { sysctls: held }: Pick<ObservedState, "sysctls">,
  isNew: boolean,
): readonly SysctlPlan[] {
  if (isNew) return [];
  if (link.kind === "adopted") return [];
  const planned = new Set(sysctls.map(({ name }) => name));
  return occasional.flatMap(({ family, parameter, value }) => {
    const name = interfaceSysctl(family, link.name, parameter);
    const start = held[interfaceSysctl(family, newInterface, parameter)];
    return planned.has(name) || held[name] !== value || start === undefined || start === value
      ? []
      : [{ name, value: start }];
  });
}
