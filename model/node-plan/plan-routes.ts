import { familyOf } from "../address/prefix.js";
import type { NetworkSpec } from "../configuration/configuration.js";
import { routingTable } from "../numbers/routing-table.js";
import { compareRoutes } from "./compare.js";
import type { RoutePlan } from "./node-plan.js";

/** For each subnet the connected route and the default route by its gateway, in the subnet's table. */
export function planRoutes(spec: NetworkSpec, device: string): readonly RoutePlan[] {
  return spec.routing
    .flatMap((routing): RoutePlan[] => {
      const common = { family: familyOf(routing.cidr), table: routingTable(spec, routing), device };
      return [
        { ...common, destination: routing.cidr, onlink: false },
        { ...common, destination: "default", gateway: routing.gateway, onlink: routing.onlink },
      ];
    })
    .sort(compareRoutes);
}
