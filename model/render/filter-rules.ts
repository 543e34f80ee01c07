import { familyOf } from "../address/prefix.js";
import type { Family, FilterPlan } from "../node-plan/node-plan.js";
import type { NftRule } from "./nft-chains.js";
import { hexadecimal, renderMarkValue } from "./render-mark.js";
import type { Symbolic } from "./symbolic.js";

const addressKeyword = { 4: "ip", 6: "ip6" } as const;
/** Multicast (RFC 1112, RFC 4291): group traffic, OSPF, VRRP and neighbour solicitations are part of any segment. */
const multicast = { 4: "224.0.0.0/4", 6: "ff00::/8" } as const;

/** One network's rules of the node's nft table. */
export function filterRules(filter: Symbolic<FilterPlan>): readonly NftRule[] {
  return [...(filter.segmentFilter ? segmentRules(filter) : []), ...markRules(filter)];
}

function prefixesOf(filter: Pick<FilterPlan, "prefixes">, family: Family): readonly string[] {
  return filter.prefixes.filter((prefix) => familyOf(prefix) === family);
}

/**
 * A host on the public segment could send to any address with this node as next hop: pods, cluster addresses, the node's
 * own sockets (measured). Only the network's prefixes may enter, and what nobody on the node took for itself (no
 * DNAT, no local address) must not travel on. A family without a prefix is shut but for what the link itself needs.
 */
function segmentRules(filter: Pick<FilterPlan, "device" | "prefixes">): readonly NftRule[] {
  const from = `iifname ${filter.device}`;
  const enter = (family: Family): NftRule => {
    const allowed = [...prefixesOf(filter, family), multicast[family]];
    return { chain: "segment", text: `${from} ${addressKeyword[family]} daddr != ${set(allowed)} drop` };
  };
  const travel = (family: Family): readonly NftRule[] => {
    const prefixes = prefixesOf(filter, family);
    if (prefixes.length === 0) return [];
    return [{ chain: "forward", text: `${from} ${addressKeyword[family]} daddr ${set(prefixes)} drop` }];
  };
  return [
    enter(4),
    // Unicast solicitations and answers go to link-local addresses (RFC 4861 section 7.2); routers' messages do not pass.
    { chain: "segment", text: `${from} icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept` },
    enter(6),
    ...travel(4),
    ...travel(6),
  ];
}

/**
 * A reply of a DNATed connection is routed before it gets its public source back; the connection's original destination
 * tells the network. Only our bits of the mark are written: the others belong to the service proxy and the CNI.
 */
function markRules(filter: Symbolic<FilterPlan>): readonly NftRule[] {
  return filter.prefixes.flatMap((prefix): NftRule[] => {
    const own = filter.prefixMarks?.find((entry) => entry.prefix === prefix);
    const mark = own === undefined ? filter.mark : own.mark;
    if (mark === undefined) return [];
    const original = `ct original ${addressKeyword[familyOf(prefix)]} daddr ${prefix}`;
    const assign = `meta mark set meta mark and ${hexadecimal(~mark.mask)} or ${renderMarkValue(mark.value)}`;
    const reply = `ct direction reply ${original} ${assign}`;
    const request: NftRule = {
      chain: "mark_input",
      text: `iifname ${filter.device} ct direction original ${original} ${assign}`,
    };
    return [
      { chain: "mark_input", text: `iifname != ${filter.device} ${reply}` },
      ...(filter.markDirection === "both" ? [request] : []),
      { chain: "mark_output", text: reply },
    ];
  });
}

function set(elements: readonly string[]): string {
  return elements.length === 1 ? (elements[0] ?? "") : `{ ${elements.join(", ")} }`;
}
