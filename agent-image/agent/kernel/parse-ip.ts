import {
  type AddressFact,
  canonicalAddress,
  canonicalPrefix,
  type Family,
  type FurtherSelectors,
  linkStrays,
  type Mark,
  type ObservedLink,
  type ObservedRoute,
  type ObservedRule,
  type PrintedLink,
} from "../../../model/index.js";
import { parsePrintedJson } from "./printed-json.js";
import { type RouteWords, routeWords } from "./route-words.js";
import { ruleWords } from "./rule-words.js";

/** Numbers of linux/rtnetlink.h and linux/fib_rules.h, as `ip -Numeric` prints them. */
const RTN_UNICAST = "1";
const FR_ACT_UNREACHABLE = "7";

const RT_SCOPE_UNIVERSE = "0";
const RT_SCOPE_LINK = "253";

/** What a route has to which nobody gives a metric (IP6_RT_PRIO_USER of linux/ipv6_route.h). */
const DEFAULT_METRIC: Readonly<Record<Family, number>> = { 4: 0, 6: 1024 };

/** Keys of a route that we write; any other changes where it leads, or for which packets. */
const PLAIN_ROUTE_KEYS = new Set([
  "type",
  "dst",
  "gateway",
  "dev",
  "table",
  "protocol",
  "scope",
  "metric",
  "flags",
  "pref",
]);

/** Keys of a rule that we can write, or whose effect we know; any other key narrows or changes it. */
const PLAIN_RULE_KEYS = new Set([
  "priority",
  "src",
  "srclen",
  "dst",
  "dstlen",
  "fwmark",
  "fwmask",
  "table",
  "action",
  "goto",
  "protocol",
]);

/** Keys of {@link FurtherSelectors}, and those that change nothing of which packets a rule takes (realms). */
const READ_RULE_KEYS = new Set([
  "not",
  "iif",
  "iif_detached",
  "suppress_prefixlen",
  "suppress_ifgroup",
  "nop",
  "unresolved",
  "flow_from",
  "flow_to",
]);

/** fib_rules.c: a mark without a mask compares all bits. */
const FULL_MASK = 0xffffffff;

interface IpLink extends PrintedLink {
  readonly ifname: string;
  readonly link?: string;
  readonly master?: string;
  readonly mtu: number;
  readonly address?: string;
  readonly ifalias?: string;
  /** A name where /etc/iproute2/group has one; `default` is 0. */
  readonly group?: string;
  readonly linkinfo?: PrintedLink["linkinfo"] & {
    readonly info_data?: {
      readonly id?: number;
      readonly port?: number;
      readonly local?: string;
      readonly local6?: string;
      /** iproute2 6.4 and later leave out what is the default, which is true. */
      readonly learning?: boolean;
      readonly external?: boolean;
      readonly protocol?: string;
    };
    readonly info_slave_data?: { readonly learning?: boolean };
  };
}

interface IpAddresses {
  readonly ifname: string;
  readonly addr_info: readonly IpAddress[];
}

interface IpAddress {
  readonly family: string;
  readonly scope?: string;
  readonly local: string;
  readonly prefixlen: number;
  readonly secondary?: boolean;
  readonly deprecated?: boolean;
  readonly tentative?: boolean;
  readonly dadfailed?: boolean;
  readonly metric?: number;
}

/** As iproute2 prints it. */
export interface IpRoute extends RouteWords {
  readonly table: string;
  readonly protocol: string;
  readonly scope?: string;
  readonly flags: readonly string[];
  /** Of a router advertisement; `medium` where nobody sets it. */
  readonly pref?: string;
}

interface IpRule {
  readonly priority: number;
  readonly src: string;
  readonly srclen?: number;
  readonly dst?: string;
  readonly dstlen?: number;
  readonly fwmark?: string;
  readonly fwmask?: string;
  readonly iif?: string;
  readonly table?: string;
  readonly action?: string;
  /** Priority of the rule to go on with; without that rule there is a key `unresolved` too, and the kernel passes it over. */
  readonly goto?: number;
  readonly protocol?: string;
}

/** Reads the links in the output of `ip -details -json address show`. */
export function parseLinks(json: string): readonly ObservedLink[] {
  return records<IpLink>(json).map((link) => {
    const kind = link.linkinfo?.info_kind;
    const data = link.linkinfo?.info_data ?? {};
    const local = data.local ?? data.local6;
    const isPort = link.linkinfo?.info_slave_kind === "bridge";
    const strays = linkStrays(link);
    const portLearning = isPort ? link.linkinfo?.info_slave_data?.learning : undefined;
    return {
      name: link.ifname,
      ...(kind === undefined ? {} : { kind }),
      ...(link.ifalias === undefined ? {} : { alias: link.ifalias }),
      ...groupOf(link),
      mtu: link.mtu,
      up: link.flags.includes("UP"),
      ...(link.address === undefined ? {} : { mac: link.address }),
      ...(link.master === undefined ? {} : { master: link.master }),
      ...(portLearning === undefined ? {} : { portLearning }),
      ...(strays.length === 0 ? {} : { strays }),
      ...(isWithoutLinkLocal(link) ? { withoutLinkLocal: true as const } : {}),
      ...(link.link === undefined ? {} : { parent: link.link }),
      ...(kind !== "vxlan" || data.id === undefined || data.port === undefined
        ? {}
        : {
            vxlan: {
              vni: data.id,
              port: data.port,
              ...(local === undefined ? {} : { local: canonicalAddress(local) }),
              learning: data.learning ?? true,
              ...(data.external === true ? { external: true } : {}),
            },
          }),
      // An 802.1ad interface of the same id carries other frames.
      ...(kind !== "vlan" || data.id === undefined || data.protocol !== "802.1Q" ? {} : { vlan: { id: data.id } }),
    };
  });
}

/** Of kinds that we make. Without a carrier the kernel gives an interface none yet. */
function isWithoutLinkLocal({ flags, linkinfo, addr_info }: IpLink & Partial<IpAddresses>): boolean {
  const isOfOurKinds = ["vxlan", "bridge", "vlan"].includes(linkinfo?.info_kind ?? "");
  if (!isOfOurKinds || !flags.includes("UP") || !flags.includes("LOWER_UP") || addr_info === undefined) return false;
  return !addr_info.some(({ family, scope }) => family === "inet6" && scope === "link");
}

/** Only numbers: ours has no name, and of the others it is enough that they are not ours. */
function groupOf({ group = "" }: IpLink): Pick<ObservedLink, "group"> {
  return /^\d+$/.test(group) ? { group: Number(group) } : {};
}

/** Reads the addresses in the output of `ip -details -json address show`. */
export function parseAddresses(json: string): readonly AddressFact[] {
  return records<IpAddresses>(json).flatMap(({ ifname, addr_info }) =>
    addr_info
      .filter(({ family }) => family === "inet" || family === "inet6")
      .map((address) => ({
        device: ifname,
        family: address.family === "inet" ? 4 : 6,
        address: canonicalAddress(address.local),
        prefixLength: address.prefixlen,
        secondary: address.secondary ?? false,
        deprecated: address.deprecated ?? false,
        // An address that failed duplicate detection is as unusable as one that still waits for it.
        tentative: (address.tentative ?? false) || (address.dadfailed ?? false),
        ...(address.metric === undefined ? {} : { metric: address.metric }),
      })),
  );
}

/** Reads the output of `ip -FAMILY -details -Numeric -json route show table all`. */
export function parseRoutes(family: Family, json: string): readonly ObservedRoute[] {
  return routeRecords(json).map((route) => routeOf(family, route));
}

/** The same, not yet made ours: of a full routing table that is the longer part of the work. */
export function routeRecords(json: string): readonly IpRoute[] {
  return records<IpRoute>(json);
}

export function routeOf(family: Family, route: IpRoute): ObservedRoute {
  const destination = route.dst === "default" ? "default" : prefixOf(family, route.dst);
  const plain = isPlainRoute(family, route);
  return {
    family,
    table: Number(route.table),
    destination,
    protocol: Number(route.protocol),
    ...(route.dev === undefined ? {} : { device: route.dev }),
    ...(route.gateway === undefined ? {} : { gateway: canonicalAddress(route.gateway) }),
    onlink: route.flags.includes("onlink"),
    plain,
    ...(isApart(family, route) ? { apart: true } : {}),
    ...(plain ? {} : { words: routeWords(family, destination, route) }),
  };
}

function isApart(family: Family, { metric, tos, from }: IpRoute): boolean {
  return (metric ?? 0) !== DEFAULT_METRIC[family] || tos !== undefined || from !== undefined;
}

function isPlainRoute(family: Family, route: IpRoute): boolean {
  const { type, scope, pref, gateway } = route;
  return (
    type === RTN_UNICAST &&
    !isApart(family, route) &&
    (pref ?? "medium") === "medium" &&
    (family === 6 || scope === (gateway === undefined ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE)) &&
    Object.keys(route).every((key) => PLAIN_ROUTE_KEYS.has(key))
  );
}

/** Reads the output of `ip -FAMILY -details -Numeric -json rule show`. */
export function parseRules(family: Family, json: string): readonly ObservedRule[] {
  return records<IpRule>(json).map((rule) => {
    const from = rule.src === "all" ? undefined : prefixOf(family, rule.src, rule.srclen);
    const to = rule.dst === undefined ? undefined : prefixOf(family, rule.dst, rule.dstlen);
    const mark = markOf(rule);
    const action = actionOf(rule);
    const plain = Object.keys(rule).every((key) => PLAIN_RULE_KEYS.has(key));
    const words =
      plain && (action.kind === "lookup" || action.kind === "unreachable") ? undefined : ruleWords({ ...rule });
    return {
      family,
      priority: rule.priority,
      protocol: Number(rule.protocol ?? 0),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(mark === undefined ? {} : { mark }),
      action,
      plain,
      ...(plain ? {} : { further: furtherSelectors(rule) }),
      ...(words === undefined ? {} : { words }),
    };
  });
}

function furtherSelectors(rule: IpRule): FurtherSelectors {
  return {
    inverted: "not" in rule,
    ...(rule.iif === undefined ? {} : { iif: rule.iif }),
    others: !Object.keys(rule).every((key) => PLAIN_RULE_KEYS.has(key) || READ_RULE_KEYS.has(key)),
    suppresses: "suppress_prefixlen" in rule || "suppress_ifgroup" in rule,
    idle: "nop" in rule || "unresolved" in rule,
  };
}

function actionOf(rule: IpRule): ObservedRule["action"] {
  if (rule.goto !== undefined) return { kind: "goto", priority: rule.goto };
  if (rule.action === FR_ACT_UNREACHABLE || rule.action === "unreachable") return { kind: "unreachable" };
  if (rule.action === undefined && rule.table !== undefined) return { kind: "lookup", table: Number(rule.table) };
  return { kind: "other" };
}

function markOf(rule: IpRule): Mark | undefined {
  if (rule.fwmark === undefined) return undefined;
  return { value: Number(rule.fwmark), mask: rule.fwmask === undefined ? FULL_MASK : Number(rule.fwmask) };
}

/** iproute2 leaves out the length of a host prefix. */
function prefixOf(family: Family, text: string, length?: number): string {
  if (text.includes("/")) return canonicalPrefix(text);
  return canonicalPrefix(`${text}/${length ?? (family === 4 ? 32 : 128)}`);
}

/** iproute2 prints nothing at all, or an empty object among the others, for what its filters leave out. */
function records<T extends object>(json: string): readonly T[] {
  if (json.trim() === "") return [];
  const parsed = parsePrintedJson<unknown>(json);
  if (!Array.isArray(parsed)) throw new Error(`iproute2 printed no JSON list: ${json.slice(0, 200)}`);
  return parsed.filter((entry: object) => Object.keys(entry).length > 0);
}
