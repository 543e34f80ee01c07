import { parseAddress } from "../address/address.js";
import { containsAddress, familyOf, parsePrefix } from "../address/prefix.js";
import { uncovered } from "../address/subtract-prefixes.js";
import { comparePrefixTexts, compareTexts } from "../node-plan/compare.js";
import { segmentInterface, tunnelOf } from "../node-plan/link-parts.js";
import type { LinkPlan, NetworkPlan, NodePlan, RoutePlan, VxlanLinkPlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { type PrefixRouter, type RoutedPart, routedParts, routersOf } from "./routed-parts.js";
import { speakerInterruptions } from "./speaker-interruptions.js";
import { changed, list, missing } from "./wording.js";

/** Traffic of one network that a change of the node plan stops or sends another way. */
export interface Interruption {
  readonly network: string;
  /** `large`: packets over the new MTU. `fabric`: what reaches the node through EVPN routes. */
  readonly traffic: "all" | "incoming" | "outgoing" | "cluster" | "large" | "fabric";
  /** What stops, why, and for how long where that is known. */
  readonly message: string;
}

/**
 * What carrying out `after` on a node that carries `before` does to traffic. What is only added interrupts nothing: rules and routes
 * that go are removed after those that come, and a mark has its rules before the nft table sets it. Networks are told
 * apart by their segment, so that a renamed one counts as the same.
 */
export function interruptions(before: NodePlan, after: NodePlan): readonly Interruption[] {
  const planned = new Map(after.networks.map((network) => [segmentInterface(network.link), network]));
  const retained = new Set(after.unplanned.flatMap(({ device, interfaces }) => [device, ...interfaces]));
  const parts = routedParts(before, after);
  const lost = lostPrefixes(parts);
  const moved = movedPrefixes(before, after);
  return [
    ...before.networks
      .toSorted((left, right) => compareTexts(left.network, right.network))
      .flatMap((old) => {
        const segment = segmentInterface(old.link);
        const now = planned.get(segment);
        if (now === undefined && retained.has(old.link.name)) return [];
        const fabric = speakerInterruptions(old.speaker, now, after).map(
          (message): Interruption => ({ network: now?.network ?? old.network, traffic: "fabric", message }),
        );
        const unrouted = lost.get(segment) ?? [];
        return [
          ...(now === undefined ? [networkRemoved(old, unrouted)] : networkInterruptions(old, now, unrouted, moved)),
          ...fabric,
        ];
      }),
    ...parts.flatMap(handover),
  ];
}

/** By segment: what it routed and nobody routes any more. */
function lostPrefixes(parts: readonly RoutedPart[]): ReadonlyMap<string, readonly string[]> {
  const lost = parts.filter(({ after }) => after === undefined);
  return new Map(
    [...Map.groupBy(lost, ({ before }) => before?.segment ?? "")].map(([segment, those]) => [
      segment,
      those.flatMap(({ prefixes }) => prefixes),
    ]),
  );
}

/** Prefixes that are routed in another segment than before. */
function movedPrefixes(before: NodePlan, after: NodePlan): ReadonlySet<string> {
  const now = routersOf(after);
  const isElsewhere = ([prefix, { segment }]: readonly [string, PrefixRouter]) =>
    (now.get(prefix)?.segment ?? segment) !== segment;
  return new Set([...routersOf(before)].filter(isElsewhere).map(([prefix]) => prefix));
}

function handover({ prefixes, before: old, after: now }: RoutedPart): readonly Interruption[] {
  if (old === undefined || now === undefined) return [];
  const { network } = now;
  if (old.segment !== now.segment) {
    const message =
      `replies from ${list(prefixes)} leave by ${now.device} (table ${now.table}) instead of ${old.device} (table ${old.table}), ` +
      "and connections break where that way does not lead to the gateway yet";
    return [{ network, traffic: "outgoing", message }];
  }
  if (old.table === now.table) return [];
  const message = `replies from ${list(prefixes)} are routed by table ${now.table} instead of ${old.table}`;
  return [{ network, traffic: "outgoing", message }];
}

function networkRemoved({ network, link }: NetworkPlan, lost: readonly string[]): Interruption {
  const message =
    lost.length === 0
      ? `${link.name} is removed: what still arrives by it is lost`
      : `${link.name} is removed: ${list(lost)} cannot be reached through this node any more`;
  return { network, traffic: lost.length === 0 ? "incoming" : "all", message };
}

function networkInterruptions(
  old: NetworkPlan,
  now: NetworkPlan,
  lost: readonly string[],
  moved: ReadonlySet<string>,
): readonly Interruption[] {
  const { network } = now;
  const everything = linkInterruption(old.link, now.link);
  if (everything !== undefined) {
    const learned = tunnelOf(now.link) === undefined ? "the switch" : "the fabric";
    const message = `${everything}: nothing passes until ${learned} and the gateway have learned it again`;
    return [{ network, traffic: "all", message }];
  }
  return [
    ...prefixInterruptions(old, now, lost),
    ...routeInterruptions(old, now),
    ...exceptionInterruptions(old, now),
    ...markInterruptions(old, now, moved),
    ...mtuInterruptions(old.link, now.link).map((message) => ({ network, traffic: "large", message }) as const),
    ...floodInterruptions(old, now),
    ...addressInterruptions(old, now),
    ...segmentInterruptions(old, now),
  ];
}

/** A change of the interface after which its MAC, or the way to it, is another; undefined where there is none. */
function linkInterruption(old: LinkPlan, now: LinkPlan): string | undefined {
  const [before, after] = [tunnelOf(old), tunnelOf(now)];
  if (before === undefined || after === undefined) {
    const remade = remadeBecause(old, now);
    return remade === undefined ? undefined : `${now.name} is made again (${remade})`;
  }
  const remade = tunnelRemadeBecause(before, after);
  if (remade !== undefined) return `${after.name} is made again (${remade})`;
  if (old.name !== now.name) return `${now.name} takes routes and addresses over from ${old.name}`;
  if (before.local !== after.local)
    return `${after.name} changes (${changed("VTEP address", before.local, after.local)})`;
  return before.mac === after.mac ? undefined : `${now.name} changes (${changed("MAC", before.mac, after.mac)})`;
}

/** What the kernel does not change in an interface, in words; undefined when it stays. */
function remadeBecause(old: LinkPlan, now: LinkPlan): string | undefined {
  if ("parent" in old && "parent" in now) {
    if (old.parent !== now.parent) return changed("parent", old.parent, now.parent);
    if (old.id !== now.id) return changed("VLAN id", old.id, now.id);
    return old.name === now.name ? undefined : changed("interface", old.name, now.name);
  }
  return changed("type", old.kind, now.kind);
}

function tunnelRemadeBecause(old: VxlanLinkPlan, now: VxlanLinkPlan): string | undefined {
  if (old.vni !== now.vni) return changed("VNI", old.vni, now.vni);
  if (old.port !== now.port) return changed("UDP port", old.port, now.port);
  return familyOf(old.local) === familyOf(now.local) ? undefined : changed("VTEP address", old.local, now.local);
}

/** The segment filter lets only the network's prefixes in; without rules the main table routes what comes from one. */
function prefixInterruptions(
  old: NetworkPlan,
  { network, filter, link }: NetworkPlan,
  lost: readonly string[],
): readonly Interruption[] {
  const dropped = filter.segmentFilter ? uncovered(old.filter.prefixes, filter.prefixes) : [];
  return [...new Set([...dropped, ...lost])].toSorted(comparePrefixTexts).map((prefix): Interruption => {
    const effects = [
      ...(dropped.includes(prefix) ? [`what arrives for it by ${link.name} is dropped`] : []),
      ...(lost.includes(prefix) ? ["what it sends leaves by the node's default route"] : []),
    ];
    const message = `${prefix} is not part of the network any more: ${effects.join(", and ")}`;
    const traffic = effects.length === 2 ? "all" : lost.includes(prefix) ? "outgoing" : "incoming";
    return { network, traffic, message };
  });
}

function segmentInterruptions(old: NetworkPlan, now: NetworkPlan): readonly Interruption[] {
  if (old.filter.segmentFilter || !now.filter.segmentFilter) return [];
  const message = `what arrives by ${now.link.name} for other addresses than ${list(now.filter.prefixes)} is dropped (segmentFilter)`;
  return [{ network: now.network, traffic: "incoming", message }];
}

function routeInterruptions(old: NetworkPlan, now: NetworkPlan): readonly Interruption[] {
  const routes = new Map(now.routes.map((route) => [routeKey(route), route]));
  return old.routes.flatMap((route): Interruption[] => {
    const other = routes.get(routeKey(route));
    if (other === undefined || (other.gateway === route.gateway && other.onlink === route.onlink)) return [];
    const message =
      `table ${route.table} sends by ${nextHop(other)} instead of ${nextHop(route)}: outgoing packets take the new way ` +
      "at once, and connections break where the new gateway does not know them";
    return [{ network: now.network, traffic: "outgoing", message }];
  });
}

function nextHop({ gateway, device, onlink }: RoutePlan): string {
  return `${gateway ?? device}${onlink ? " (onlink)" : ""}`;
}

/** Exceptions of a family of which a prefix comes or goes as a whole interrupt nothing else. */
function exceptionInterruptions(old: NetworkPlan, now: NetworkPlan): readonly Interruption[] {
  const [excepted, isExcepted] = [exceptions(old), exceptions(now)];
  const told = (to: string, effect: (prefixes: string) => string): readonly Interruption[] => {
    const isOfFamily = (prefix: string) => familyOf(prefix) === familyOf(to);
    const prefixes = routedBy(now).filter(isOfFamily);
    if (prefixes.length === 0 || !routedBy(old).some(isOfFamily)) return [];
    return [{ network: now.network, traffic: "cluster", message: effect(list(prefixes)) }];
  };
  return [
    ...uncovered(excepted, isExcepted).flatMap((to) =>
      told(to, (prefixes) => `${to} is no exception any more: packets between it and ${prefixes} leave by the gateway`),
    ),
    ...uncovered(isExcepted, excepted).flatMap((to) =>
      told(
        to,
        (prefixes) =>
          `${to} becomes an exception: packets between it and ${prefixes} leave by the main table, not by the gateway`,
      ),
    ),
  ];
}

/** Where replies of translated connections lose their mark they leave by the node's default route. */
function markInterruptions(
  old: NetworkPlan,
  now: NetworkPlan,
  handedOver: ReadonlySet<string>,
): readonly Interruption[] {
  return now.filter.prefixes.flatMap((prefix): Interruption[] => {
    if (!old.filter.prefixes.includes(prefix) || handedOver.has(prefix)) return [];
    const [was, is] = [markOf(old, prefix), markOf(now, prefix)];
    if (was === undefined || was === is) return [];
    const message =
      is === undefined
        ? `replies of translated connections to ${prefix} are not marked any more and leave by the node's default route`
        : `the mark of replies to ${prefix} changes: packets on their way at that moment may be dropped`;
    return [{ network: now.network, traffic: "outgoing", message }];
  });
}

function markOf({ filter }: NetworkPlan, prefix: string): number | undefined {
  const own = filter.prefixMarks?.find((entry) => entry.prefix === prefix);
  return (own === undefined ? filter.mark : own.mark)?.value;
}

/** Another network may route a prefix instead (`routing.replaces`). */
function routedBy({ filter, rules }: NetworkPlan): readonly string[] {
  return filter.prefixes.filter((prefix) => rules.some(({ from }) => from === prefix));
}

/** Each stands twice, by source and by mark. */
function exceptions({ rules }: NetworkPlan): readonly string[] {
  return [...new Set(rules.flatMap(({ to }) => (to === undefined ? [] : [to])))];
}

function mtuInterruptions(old: LinkPlan, now: LinkPlan): readonly string[] {
  if (now.mtu >= old.mtu) return [];
  return [`MTU of ${now.name} falls from ${old.mtu} to ${now.mtu}: larger packets are dropped until both ends know`];
}

function floodInterruptions(old: NetworkPlan, now: NetworkPlan): readonly Interruption[] {
  const { network, speaker } = now;
  if (tunnelOf(old.link) !== undefined && old.speaker === undefined && speaker !== undefined) {
    const message =
      "hosts are found by EVPN routes instead of learning: those behind a VTEP that announces none cannot be found";
    return [{ network, traffic: "all", message }];
  }
  return missing(old.flood, now.flood).map((vtep) => ({
    network,
    traffic: "all",
    message: `broadcasts are not sent to VTEP ${vtep} any more: hosts behind it cannot be found`,
  }));
}

/** Those of a prefix that leaves the network are told of with it. */
function addressInterruptions(old: NetworkPlan, { network, staticAddresses = [], filter }: NetworkPlan) {
  const addressesOf = (plan: NetworkPlan["staticAddresses"] = []) => plan.map(({ address }) => address);
  const prefixes = filter.prefixes.flatMap((text) => parsePrefix(text) ?? []);
  return missing(addressesOf(old.staticAddresses), addressesOf(staticAddresses))
    .filter((text) => {
      const address = parseAddress(text);
      return address !== undefined && prefixes.some((prefix) => containsAddress(prefix, address));
    })
    .map((address): Interruption => {
      const message = `the static address ${address} leaves this node: its connections break, and it is reached where it is pinned now`;
      return { network, traffic: "all", message };
    });
}
