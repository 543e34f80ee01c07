import { addressBits, canonicalAddress, parseAddress } from "../address/address.js";
import { containsAddress, parsePrefix } from "../address/prefix.js";
import type { Vxlan } from "../configuration/configuration.js";
import { networkOfAlias } from "../ownership/alias.js";
import type { AddressFact, LinkFact, NodeFacts } from "./node-facts.js";
import type { PlanCondition } from "./node-plan.js";

export interface VtepAddress {
  readonly kind: "vtep";
  readonly address: string;
  /** The interface that carries the address; encapsulated packets leave by it. */
  readonly underlay: LinkFact;
}

export interface NoVtep {
  readonly kind: "none";
  readonly condition: PlanCondition;
}

interface Candidate {
  readonly fact: AddressFact;
  readonly link: LinkFact;
}

/**
 * The node's own address inside `nodeNet`. Load-balancer and keepalived addresses (/32 beside a wider one, secondary)
 * are passed over: they move to another node and would take the tunnels with them (projectcalico/calico#5094,
 * kube-vip/kube-vip#682). `current` is what our interface uses now. It is kept while it is usable, even when a better one
 * appears: another VTEP address is another MAC and another next hop to the whole fabric.
 */
export function vtepAddress(
  vxlan: Pick<Vxlan, "nodeNet" | "nodeInterface">,
  facts: Pick<NodeFacts, "links" | "addresses">,
  current?: string,
): VtepAddress | NoVtep {
  const usable = usableAddresses(vxlan, facts);
  const kept = usable.find(({ fact }) => canonicalAddress(fact.address) === current);
  const wide = usable.filter(({ fact }) => fact.prefixLength < addressBits(fact.family));
  const candidates = wide.length > 0 ? wide : usable;
  const [first, second] = candidates;
  if (first === undefined) return { kind: "none", condition: noAddress(vxlan) };
  if (kept === undefined && second !== undefined) return { kind: "none", condition: ambiguous(vxlan, candidates) };
  const chosen = kept ?? first;
  return { kind: "vtep", address: canonicalAddress(chosen.fact.address), underlay: chosen.link };
}

function usableAddresses(
  vxlan: Pick<Vxlan, "nodeNet" | "nodeInterface">,
  facts: Pick<NodeFacts, "links" | "addresses">,
): readonly Candidate[] {
  const nodeNet = parsePrefix(vxlan.nodeNet);
  const links = new Map(facts.links.map((link) => [link.name, link]));
  return facts.addresses.flatMap((fact): Candidate[] => {
    const link = links.get(fact.device);
    const address = parseAddress(fact.address);
    if (nodeNet === undefined || address === undefined || link === undefined) return [];
    if (!link.up || networkOfAlias(link.alias) !== undefined) return [];
    if (vxlan.nodeInterface !== undefined && fact.device !== vxlan.nodeInterface) return [];
    if (fact.secondary || fact.deprecated || fact.tentative) return [];
    return containsAddress(nodeNet, address) ? [{ fact, link }] : [];
  });
}

function noAddress(vxlan: Pick<Vxlan, "nodeNet" | "nodeInterface">): PlanCondition {
  const where = vxlan.nodeInterface ?? "an interface that is up";
  return { reason: "NoVtepAddress", message: `waiting: no address in ${vxlan.nodeNet} on ${where}` };
}

function ambiguous(vxlan: Pick<Vxlan, "nodeNet">, candidates: readonly Candidate[]): PlanCondition {
  const list = candidates
    .map(({ fact }) => `${fact.device} ${canonicalAddress(fact.address)}/${fact.prefixLength}`)
    .sort()
    .join(" and ");
  const devices = new Set(candidates.map(({ fact }) => fact.device));
  const remedy = devices.size > 1 ? "set vxlan.nodeInterface" : "narrow vxlan.nodeNet";
  return { reason: "AmbiguousVtepAddress", message: `nodeNet ${vxlan.nodeNet} matches ${list}; ${remedy}` };
}
