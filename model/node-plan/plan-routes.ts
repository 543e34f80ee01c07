import { familyOf } from "../address/prefix.js";
import type { NetworkSpec } from "../configuration/configuration.js";
import { routingTable } from "../numbers/routing-table.js";
import { compareRoutes } from "./compare.js";
import { carriesIpv6 } from "./ipv6-mtu.js";
import type { LinkPlan, RoutePlan } from "./node-plan.js";

/**
 * For each subnet the connected route and the default route by its gateway, in the subnet's table. None of IPv6 on an
 * interface that is too small for it: the kernel would refuse them, and the guard of the subnet's rules holds.
 */
export function planRoutes(
  spec: NetworkSpec,
  { name: device, mtu }: Pick<LinkPlan, "name" | "mtu">,
): readonly RoutePlan[] {
  return spec.routing
    .filter(({ cidr }) => familyOf(cidr) === 4 || carriesIpv6(mtu))
    .flatMap((routing): RoutePlan[] => {
      const common = { family: familyOf(routing.cidr), table: routingTable(spec, routing), device };
      return [
        { ...common, destination: routing.cidr, onlink: false },
        { ...common, destination: "default", gateway: routing.gateway, onlink: routing.onlink },
      ];
    })
    .sort(compareRoutes);
}
