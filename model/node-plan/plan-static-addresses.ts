import { canonicalAddress } from "../address/address.js";
import { familyOf } from "../address/prefix.js";
import type { Routing } from "../configuration/configuration.js";
import { compareTexts } from "./compare.js";
import type { StaticAddressPlan } from "./node-plan.js";

/** The addresses that the node of this name has by declaration. */
export function planStaticAddresses(
  subnets: readonly Routing[],
  nodeName: string,
  device: string,
): readonly StaticAddressPlan[] {
  return subnets
    .flatMap(({ staticAddresses = [] }) => staticAddresses)
    .filter(({ node }) => node === nodeName)
    .map(({ address }) => ({ family: familyOf(address), address: canonicalAddress(address), device }))
    .sort((left, right) => left.family - right.family || compareTexts(left.address, right.address));
}
