import { type Family, shellWord } from "../../../model/index.js";

/** Keys of a route of `ip -details -Numeric -json route show` that also name it when it is deleted. */
export interface RouteWords {
  readonly type: string;
  readonly dst: string;
  readonly from?: string;
  readonly tos?: string;
  readonly gateway?: string;
  /** A gateway of the other family. */
  readonly via?: { readonly family: string; readonly host: string };
  readonly dev?: string;
  readonly nhid?: number;
  readonly prefsrc?: string;
  readonly metric?: number;
  readonly metrics?: readonly Readonly<Record<string, string | number>>[];
}

/** RTN_* of linux/rtnetlink.h, which iproute2 takes as words alone. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  "2": "local ",
  "3": "broadcast ",
  "4": "anycast ",
  "5": "multicast ",
  "6": "blackhole ",
  "7": "unreachable ",
  "8": "prohibit ",
  "9": "throw ",
};

/**
 * A route in the words of `ip route del`, but for its table and protocol, so that it goes and none beside it: the kernel leaves out
 * of the comparison what is not said (fib_table_delete, ip6_route_del). Several next hops need no words: a route has them in one
 * place of table, destination, TOS and metric.
 *
 * @param destination canonical
 */
export function routeWords(family: Family, destination: string, route: RouteWords): string {
  const { type, from, tos, gateway, via, dev, nhid, prefsrc, metric, metrics = [] } = route;
  // What a next hop object names cannot be said beside it (fib_nh_match).
  const hop =
    nhid === undefined
      ? [
          ...(gateway === undefined ? [] : [`via ${gateway}`]),
          ...(via === undefined ? [] : [`via ${via.family} ${via.host}`]),
          ...(dev === undefined ? [] : [`dev ${shellWord(dev)}`]),
        ]
      : [`nhid ${nhid}`];
  return [
    `${TYPE_WORDS[type] ?? ""}${destination}`,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(tos === undefined ? [] : [`tos ${tos}`]),
    ...hop,
    ...(prefsrc === undefined ? [] : [`src ${prefsrc}`]),
    ...(metric === undefined ? [] : [`metric ${metric}`]),
    // IPv6 does not compare them, and IPv4 has them in the place of one route (fib_metrics_match).
    ...(family === 6
      ? []
      : metrics.flatMap((group) => Object.entries(group).map(([name, value]) => `${name} ${value}`))),
  ].join(" ");
}
