import { type Address, addressBits, canonicalAddress, parseAddress } from "../address/address.js";
import { containsAddress, parsePrefix } from "../address/prefix.js";
import type { Vxlan } from "../configuration/configuration.js";
import { isMarkedOurs } from "../ownership/own-link.js";
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
  readonly address: Address;
  readonly link: LinkFact;
}

/** What networks stand on, read from the facts once: a node that carries a thousand networks has a thousand links of ours. */
export interface Underlay {
  readonly links: ReadonlyMap<string, LinkFact>;
  /** By {@link vlanKey}: the kernel takes one VLAN interface for a parent and id. */
  readonly vlans: ReadonlyMap<string, LinkFact>;
  /** Addresses that a VTEP may have. */
  readonly candidates: readonly Candidate[];
  /** Canonical addresses that a socket can be bound to, whatever they are for. */
  readonly bindable: ReadonlySet<string>;
}

export function underlayOf({ links: facts, addresses }: Pick<NodeFacts, "links" | "addresses">): Underlay {
  const links = new Map(facts.map((link) => [link.name, link]));
  const candidates = addresses.flatMap((fact): Candidate[] => {
    const link = links.get(fact.device);
    if (link === undefined || !link.up || isMarkedOurs(link)) return [];
    if (fact.secondary || fact.deprecated || fact.tentative) return [];
    const address = parseAddress(fact.address);
    return address === undefined ? [] : [{ fact, address, link }];
  });
  const vlans = facts.flatMap((link): [string, LinkFact][] =>
    link.parent === undefined || link.vlanId === undefined ? [] : [[vlanKey(link.parent, link.vlanId), link]],
  );
  const bindable = addresses.filter(({ device, tentative }) => links.get(device)?.up === true && !tentative);
  return {
    links,
    vlans: new Map(vlans),
    candidates,
    bindable: new Set(bindable.map(({ address }) => canonicalAddress(address))),
  };
}

export function vlanKey(parent: string, id: number): string {
  return `${id} on ${parent}`;
}

/**
 * The node's own address inside `nodeNet`. Load-balancer and keepalived addresses (/32 beside a wider one, secondary)
 * are passed over: they move to another node and would take the tunnels with them (projectcalico/calico#5094,
 * kube-vip/kube-vip#682). `current` is what our interface uses now. It is kept while it is usable, even when a better one
 * appears: another VTEP address is another MAC and another next hop to the whole fabric.
 */
export function vtepAddress(
  vxlan: Pick<Vxlan, "nodeNet" | "nodeInterface">,
  underlay: Pick<Underlay, "candidates">,
  current?: string,
): VtepAddress | NoVtep {
  const usable = usableAddresses(vxlan, underlay);
  const kept = usable.find(({ fact }) => canonicalAddress(fact.address) === current);
  const candidates = preferred(usable);
  const [first, second] = candidates;
  if (first === undefined) return { kind: "none", condition: noAddress(vxlan) };
  if (kept === undefined && second !== undefined) return { kind: "none", condition: ambiguous(vxlan, candidates) };
  const chosen = kept ?? first;
  return { kind: "vtep", address: canonicalAddress(chosen.fact.address), underlay: chosen.link };
}

function usableAddresses(
  { nodeNet, nodeInterface }: Pick<Vxlan, "nodeNet" | "nodeInterface">,
  { candidates }: Pick<Underlay, "candidates">,
): readonly Candidate[] {
  const prefix = parsePrefix(nodeNet);
  return candidates.filter(
    ({ address, link }) =>
      (nodeInterface === undefined || link.name === nodeInterface) &&
      prefix !== undefined &&
      containsAddress(prefix, address),
  );
}

/** Of the node alone, where one of them moves from node to node. */
function preferred(usable: readonly Candidate[]): readonly Candidate[] {
  const wide = usable.filter(({ fact }) => fact.prefixLength < addressBits(fact.family));
  return wide.length > 0 ? wide : usable;
}

/** The node's addresses inside a prefix, of which its VTEP would have to be the only one. */
export function ownAddresses(prefix: string, underlay: Pick<Underlay, "candidates">): readonly string[] {
  const usable = usableAddresses({ nodeNet: prefix }, underlay);
  return [...new Set(preferred(usable).map(({ fact }) => canonicalAddress(fact.address)))].sort();
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
