import { familyOf } from "../address/prefix.js";
import type { Family, FilterPlan } from "../node-plan/node-plan.js";
import { clampRules } from "./clamp-rules.js";
import { markRules } from "./mark-rules.js";
import { addressKeyword, type NftRule } from "./nft-chains.js";
import type { Symbolic } from "./symbolic.js";

/** Multicast (RFC 1112, RFC 4291): group traffic, OSPF, VRRP and neighbour solicitations are part of any segment. */
const multicast = { 4: "224.0.0.0/4", 6: "ff00::/8" } as const;

/** One network's rules of the node's nft table. */
export function filterRules(filter: Symbolic<FilterPlan>): readonly NftRule[] {
  return [...segmentRules(filter), ...markRules([filter]), ...clampRules(filter)];
}

function prefixesOf(filter: Pick<FilterPlan, "prefixes">, family: Family): readonly string[] {
  return filter.prefixes.filter((prefix) => familyOf(prefix) === family);
}

/**
 * A host on the public segment could send to any address with this node as next hop: pods, cluster addresses, the node's
 * own sockets (measured). Only the network's prefixes may enter, and what nobody on the node took for itself (no
 * DNAT, no local address) must not travel on. A family without a prefix is shut but for what the link itself needs.
 */
export function segmentRules(
  filter: Pick<FilterPlan, "device" | "bridgeMac" | "prefixes" | "segmentFilter">,
): readonly NftRule[] {
  if (!filter.segmentFilter) return [];
  const from = `iifname ${filter.device}`;
  const toNode = filter.bridgeMac === undefined ? from : `${from} ether daddr ${filter.bridgeMac}`;
  const enter = (family: Family): NftRule => {
    const allowed = [...prefixesOf(filter, family), ...groups(filter, family)];
    return { chain: "segment", text: `${from} ${addressKeyword[family]} daddr != ${set(allowed)} drop` };
  };
  const travel = (family: Family): readonly NftRule[] => {
    const prefixes = prefixesOf(filter, family);
    if (prefixes.length === 0) return [];
    return [{ chain: "forward", text: `${toNode} ${addressKeyword[family]} daddr ${set(prefixes)} drop` }];
  };
  return [
    ...passingFrames(filter),
    enter(4),
    // Unicast solicitations and answers go to link-local addresses (RFC 4861 section 7.2); routers' messages do not pass.
    { chain: "segment", text: `${from} icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept` },
    enter(6),
    ...travel(4),
    ...travel(6),
  ];
}

/** Unicast frames that a bridge only passes on: they reach nothing of the node, and meet this table with br_netfilter alone. */
function passingFrames({ device, bridgeMac }: Pick<FilterPlan, "device" | "bridgeMac">): readonly NftRule[] {
  if (bridgeMac === undefined) return [];
  const isUnicast = "ether daddr & 01:00:00:00:00:00 == 00:00:00:00:00:00";
  return [{ chain: "segment", text: `iifname ${device} ${isUnicast} ether daddr != ${bridgeMac} accept` }];
}

/** Frames to many pass a bridge and the filter at once; virtual machines ask for their addresses by broadcast (RFC 2131). */
function groups({ bridgeMac }: Pick<FilterPlan, "bridgeMac">, family: Family): readonly string[] {
  return family === 4 && bridgeMac !== undefined ? [multicast[4], "255.255.255.255"] : [multicast[family]];
}

function set(elements: readonly string[]): string {
  return elements.length === 1 ? (elements[0] ?? "") : `{ ${elements.join(", ")} }`;
}
