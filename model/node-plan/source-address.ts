import type { PlanCondition } from "./node-plan.js";
import { ownAddresses, type Underlay } from "./vtep-address.js";

export type SourceAddress =
  | { readonly kind: "source"; readonly address: string }
  | { readonly kind: "none"; readonly condition: PlanCondition };

/**
 * What the sessions of a network come from on this node. A single address may be any that the node has, and of a prefix the
 * node must have one address, chosen as that of its VTEP is.
 *
 * @param declared an address or a prefix, canonical
 */
export function sourceAddress(declared: string, underlay: Pick<Underlay, "candidates" | "bindable">): SourceAddress {
  const isPrefix = declared.includes("/");
  const own = isPrefix ? ownAddresses(declared, underlay) : [declared].filter((text) => underlay.bindable.has(text));
  const [address, ...more] = own;
  if (address === undefined) return { kind: "none", condition: missing(declared, isPrefix) };
  return more.length === 0 ? { kind: "source", address } : { kind: "none", condition: ambiguous(declared, own) };
}

function missing(declared: string, isPrefix: boolean): PlanCondition {
  return {
    reason: "NoBgpSourceAddress",
    message:
      `the node has ${isPrefix ? `no address in ${declared}` : `not the address ${declared}`} on an interface that is up, so ` +
      "that the network has no BGP sessions; give the node one, or correct vxlan.bgp.sourceAddress",
  };
}

function ambiguous(declared: string, own: readonly string[]): PlanCondition {
  return {
    reason: "AmbiguousBgpSourceAddress",
    message:
      `the node has several addresses in ${declared}, ${own.join(" and ")}, so that the network has no BGP sessions; narrow ` +
      "vxlan.bgp.sourceAddress",
  };
}
