import type { NodeFacts } from "../node-plan/node-facts.js";
import { localTable, mainTable } from "../numbers/routing-table.js";
import { mainRulePriority } from "../numbers/rule-priorities.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { isOwnAddress } from "./address-operations.js";
import { ipvsSysctls, noLocalRule, rpFilterAllSysctl } from "./node-facts.js";
import type { ObservedLink, ObservedRule, ObservedState } from "./observed-state.js";
import { kernelStartValues } from "./sysctl-changes.js";

/** RTPROT_KERNEL of linux/rtnetlink.h. */
const kernelProtocol = 2;

/** Somebody else's, of which only what is in the way of ours is looked at. */
function tunnelFact({
  vni,
  port,
  local,
  external,
}: {
  readonly vni: number;
  readonly port: number;
  readonly local: string | undefined;
  readonly external: true | undefined;
}): NonNullable<ObservedLink["vxlan"]> {
  return {
    vni,
    port,
    learning: true,
    ...(local === undefined ? {} : { local }),
    ...(external === undefined ? {} : { external }),
  };
}

/** What the kernel of a node holds by its facts, without what is ours: the base of {@link stateOf} on a desk. */
export function stateOfFacts({
  links,
  addresses,
  rpFilterAll,
  localRulePriority,
  ipvs,
  ipv6,
}: NodeFacts): ObservedState {
  const foreign = links.filter((link) => !isMarkedOurs(link));
  const names = new Set(foreign.map(({ name }) => name));
  const lookups: readonly (readonly [priority: number, table: number])[] = [
    ...(localRulePriority === noLocalRule ? [] : [[localRulePriority, localTable] as const]),
    [mainRulePriority, mainTable],
  ];
  return {
    links: foreign.map(({ local, vlanId, vni, port, external, ...link }) => ({
      ...link,
      ...(vni === undefined || port === undefined ? {} : { vxlan: tunnelFact({ vni, port, local, external }) }),
      ...(vlanId === undefined ? {} : { vlan: { id: vlanId } }),
    })),
    addresses: addresses.filter((address) => names.has(address.device) && !isOwnAddress(address)),
    routes: [],
    rules: lookups.flatMap(([priority, table]) =>
      (ipv6 === false ? ([4] as const) : ([4, 6] as const)).map(
        (family): ObservedRule => ({
          family,
          priority,
          protocol: kernelProtocol,
          action: { kind: "lookup", table },
          plain: true,
        }),
      ),
    ),
    ...(ipv6 === false ? { ipv6 } : {}),
    sysctls: { ...kernelStartValues, [rpFilterAllSysctl]: String(rpFilterAll), ...ipvsSysctls(ipvs) },
    forwarding: {},
  };
}
