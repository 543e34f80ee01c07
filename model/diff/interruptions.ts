import { familyOf } from "../address/prefix.js";
import { compareTexts } from "../node-plan/compare.js";
import { tunnelOf } from "../node-plan/link-parts.js";
import type { LinkPlan, NetworkPlan, NodePlan, RoutePlan, RulePlan, VxlanLinkPlan } from "../node-plan/node-plan.js";
import { routeKey } from "../node-plan/route-key.js";
import { ruleKey } from "../node-plan/rule-key.js";
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
 * What carrying out `after` on a node that carries `before` does to traffic. Additions interrupt nothing: the nft table is
 * replaced in one transaction, and rules and routes that go are removed after those that come. Networks are told apart by
 * their segment, so that a renamed one counts as the same.
 */
export function interruptions(before: NodePlan, after: NodePlan): readonly Interruption[] {
  const planned = new Map(after.networks.map((network) => [segmentInterface(network.link), network]));
  const retained = new Set(after.unplanned.flatMap(({ device, interfaces }) => [device, ...interfaces]));
  const routers = routersOf(after);
  const moved = handovers(before, routers);
  return [
    ...before.networks
      .toSorted((left, right) => compareTexts(left.network, right.network))
      .flatMap((old) => {
        const now = planned.get(segmentInterface(old.link));
        if (now === undefined && retained.has(old.link.name)) return [];
        const fabric = speakerInterruptions(old.speaker, now, after).map(
          (message): Interruption => ({ network: now?.network ?? old.network, traffic: "fabric", message }),
        );
        return [
          ...(now === undefined ? [networkRemoved(old, routers)] : networkInterruptions(old, now, moved)),
          ...fabric,
        ];
      }),
    ...moved.values(),
  ];
}

/** A bridge may come between a segment and its routes, or go. */
function segmentInterface(link: LinkPlan): string {
  return tunnelOf(link)?.name ?? link.name;
}

/** By prefix: what moves from one network of the node to another one (`routing.replaces`). */
function handovers(before: NodePlan, routers: ReadonlyMap<string, PrefixRouter>): ReadonlyMap<string, Interruption> {
  return new Map(
    [...routersOf(before)].flatMap(([prefix, old]): [string, Interruption][] => {
      const now = routers.get(prefix);
      if (now === undefined || now.segment === old.segment) return [];
      const message =
        `replies from ${prefix} leave by ${now.device} (table ${now.table}) instead of ${old.device} (table ${old.table}) ` +
        "at once, and connections break where that way does not lead to the gateway yet";
      return [[prefix, { network: now.network, traffic: "outgoing", message }]];
    }),
  );
}

interface PrefixRouter {
  readonly network: string;
  readonly segment: string;
  readonly device: string;
  readonly table: number;
}

/** By prefix. */
function routersOf({ networks }: NodePlan): ReadonlyMap<string, PrefixRouter> {
  return new Map(
    networks.flatMap(({ network, link, rules }) =>
      rules.flatMap(({ from, to, action }): [string, PrefixRouter][] =>
        from === undefined || to !== undefined || action.kind !== "lookup"
          ? []
          : [[from, { network, segment: segmentInterface(link), device: link.name, table: action.table }]],
      ),
    ),
  );
}

function networkRemoved(
  { network, link, filter }: NetworkPlan,
  routers: ReadonlyMap<string, PrefixRouter>,
): Interruption {
  const lost = filter.prefixes.filter((prefix) => !routers.has(prefix));
  const message =
    lost.length === 0
      ? `${link.name} is removed: what still arrives by it is lost`
      : `${link.name} is removed: ${list(lost)} cannot be reached through this node any more`;
  return { network, traffic: lost.length === 0 ? "incoming" : "all", message };
}

function networkInterruptions(
  old: NetworkPlan,
  now: NetworkPlan,
  moved: ReadonlyMap<string, Interruption>,
): readonly Interruption[] {
  const { network } = now;
  const everything = linkInterruption(old.link, now.link);
  if (everything !== undefined) {
    const learned = tunnelOf(now.link) === undefined ? "the switch" : "the fabric";
    const message = `${everything}: nothing passes until ${learned} and the gateway have learned it again`;
    return [{ network, traffic: "all", message }];
  }
  return [
    ...prefixInterruptions(old, now, moved),
    ...routeInterruptions(old, now),
    ...ruleInterruptions(old, now, moved),
    ...mtuInterruptions(old.link, now.link).map((message) => ({ network, traffic: "large", message }) as const),
    ...floodInterruptions(old, now),
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
  now: NetworkPlan,
  handedOver: ReadonlyMap<string, Interruption>,
): readonly Interruption[] {
  const { network, filter, link } = now;
  return missing(old.filter.prefixes, filter.prefixes).flatMap((prefix): Interruption[] => {
    const isOurs = old.rules.some(({ from }) => from === prefix) && !handedOver.has(prefix);
    const effects = [
      ...(filter.segmentFilter ? [`what arrives for it by ${link.name} is dropped`] : []),
      ...(isOurs ? ["what it sends leaves by the node's default route"] : []),
    ];
    if (effects.length === 0) return [];
    const message = `${prefix} is not part of the network any more: ${effects.join(", and ")}`;
    return [{ network, traffic: isOurs ? "all" : "incoming", message }];
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

function ruleInterruptions(
  old: NetworkPlan,
  now: NetworkPlan,
  handedOver: ReadonlyMap<string, Interruption>,
): readonly Interruption[] {
  const { network } = now;
  const kept = new Set(now.rules.map(ruleKey));
  const gone = old.rules.filter((rule) => !kept.has(ruleKey(rule)) && !handedOver.has(rule.from ?? ""));
  // Each exception stands twice, by source and by mark; the source tells whose it is.
  const exceptions = new Set(gone.filter((rule) => isException(rule) && rule.from !== undefined).map(({ to }) => to));
  const stillExcepted = new Set(now.rules.filter(isException).map(({ to }) => to));
  const cluster = [...exceptions].filter((to) => to !== undefined && !stillExcepted.has(to));
  const moved = gone.flatMap(({ from, action }) => {
    if (from === undefined || action.kind !== "lookup" || !now.filter.prefixes.includes(from)) return [];
    const next = now.rules.find((rule) => rule.from === from && rule.to === undefined && rule.action.kind === "lookup");
    return next?.action.kind === "lookup" && next.action.table !== action.table && !isExceptionTable(old, action.table)
      ? [`replies from ${from} are routed by table ${next.action.table} instead of ${action.table}`]
      : [];
  });
  return [
    ...cluster.map((to) => ({
      network,
      traffic: "cluster" as const,
      message: `${to} is no exception any more: packets between it and ${list(now.filter.prefixes)} leave by the gateway`,
    })),
    ...moved.map((message) => ({ network, traffic: "outgoing" as const, message })),
    ...markInterruptions(old, now, handedOver),
  ];
}

/** Where replies of translated connections lose their mark they leave by the node's default route. */
function markInterruptions(
  old: NetworkPlan,
  now: NetworkPlan,
  handedOver: ReadonlyMap<string, Interruption>,
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

/** An exception names where it leads to; a network's own lookup does not. */
function isException(rule: RulePlan): boolean {
  return rule.to !== undefined;
}

function isExceptionTable(plan: NetworkPlan, table: number): boolean {
  return plan.rules.some((rule) => isException(rule) && rule.action.kind === "lookup" && rule.action.table === table);
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
