import {
  addressCapacity,
  derived,
  familyOf,
  gobgpPort,
  interfaceName,
  type NetworkSpec,
  networkTable,
  parsePrefix,
  type RulePriorities,
  routeTargets,
  rulePriorities,
} from "../../model/index.js";
import type { NetworkSummary } from "./state.js";

/** The summary of a checked network; what follows from an unknown value is unknown. */
export function networkSummary(spec: NetworkSpec): NetworkSummary {
  const [first] = spec.routing;
  if (first === undefined) throw new Error("a network without routing has passed the check");
  const bgp = spec.type === "vxlan" ? spec.vxlan.bgp : undefined;
  return {
    cidr: first.cidr,
    gateway: first.gateway,
    capacity: derived(
      spec.routing.flatMap(({ cidr, gateway }) => [cidr, gateway]),
      () => addressCapacity(spec.routing),
    ),
    routingTable: networkTable(spec),
    interfaceName: interfaceName(spec),
    ...(spec.type === "vxlan" && bgp !== undefined
      ? { gobgpPort: gobgpPort(spec), routeTarget: routeTargets(bgp, spec.vxlan.vni).export.join(" ") }
      : {}),
    rulePriorities: prioritiesByPrefix(spec),
  };
}

function prioritiesByPrefix(spec: NetworkSpec): Readonly<Record<string, RulePriorities>> {
  const prefixes = spec.routing.map(({ cidr }) => cidr);
  return derived(prefixes, () =>
    Object.fromEntries(prefixes.map((cidr) => [cidr, rulePriorities(familyOf(cidr), parsePrefix(cidr)?.length ?? 0)])),
  );
}
