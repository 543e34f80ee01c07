import type { AddressFact } from "../node-plan/node-facts.js";
import type { NetworkPlan, StaticAddressPlan } from "../node-plan/node-plan.js";
import { addressMetric } from "../ownership/address-metric.js";
import { renderAddress } from "../render/render-address.js";
import type { ObservedState } from "./observed-state.js";
import type { Retained } from "./obsolete-objects.js";
import { ip, type Operation } from "./operation.js";

/** Whether we have installed it: it goes when no plan has it, and is nobody's own address until then. */
export function isOwnAddress({ metric }: Pick<AddressFact, "metric">): boolean {
  return metric === addressMetric;
}

/**
 * Installs what is missing. An address that somebody else has put on the interface counts, with any prefix length, and stays.
 *
 * @param isNew the interface is made in this pass, and what hangs on an older one goes with that
 */
export function addressOperations(
  { staticAddresses = [] }: NetworkPlan,
  addresses: readonly AddressFact[],
  isNew: boolean,
): readonly Operation[] {
  const held = new Set(isNew ? [] : addresses.map(addressKey));
  return staticAddresses
    .filter((address) => !held.has(addressKey(address)))
    .map((address) => ip(renderAddress(address)));
}

/** Of ours, what no plan has; what is on an interface that goes, goes with it. */
export function obsoleteAddresses(
  { addresses }: Pick<ObservedState, "addresses">,
  carried: readonly NetworkPlan[],
  retained: readonly Retained[],
  gone: ReadonlySet<string>,
): readonly AddressFact[] {
  const wanted = new Set(
    [...carried, ...retained].flatMap(({ staticAddresses = [] }) => staticAddresses.map(addressKey)),
  );
  return addresses.filter(
    (address) => isOwnAddress(address) && !wanted.has(addressKey(address)) && !gone.has(address.device),
  );
}

export function deleteAddress({ family, address, prefixLength, device }: AddressFact): Operation {
  return ip(`${family === 6 ? "ip -6" : "ip"} address del ${address}/${prefixLength} dev ${device}`);
}

function addressKey({ address, device }: Pick<StaticAddressPlan, "address" | "device">): string {
  return `${device} ${address}`;
}
