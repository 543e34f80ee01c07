import type { PlanCondition } from "../../../model/index.js";
import { boundedList } from "../status/bounded-message.js";

/** By network: addresses that are pinned to this node although a Service has them. */
export function serviceNotices(
  addresses: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly PlanCondition[]> {
  return new Map(
    [...addresses].map(([network, both]) => [
      network,
      [
        {
          reason: "StaticAddressOfService",
          message:
            `${boundedList(both).join(", ")}: pinned to this node by staticAddresses, and a LoadBalancer Service has it too, so ` +
            "MetalLB says which node answers for it; take it out of MetalLB's pool and off the Service, or out of staticAddresses",
        },
      ],
    ]),
  );
}
