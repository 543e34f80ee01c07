import { routeTargets } from "../numbers/route-targets.js";
import type { Locate, NetworkFinding, NetworkSet } from "./check-networks.js";
import type { Path } from "./finding.js";
import { segmentPath } from "./segment-path.js";
import { isSpeaker, type SpeakerNetwork } from "./speaker-network.js";
import { isUnknown } from "./unknown-value.js";

/** A network by what it says to its fabric, and what it takes from there. */
interface Exchange {
  readonly network: number;
  readonly spec: SpeakerNetwork;
  readonly exported: readonly string[];
  /** Taken without being named in `importRouteTargets`. */
  readonly taken: readonly string[];
}

/**
 * Route targets separate the networks of a fabric, which share sessions: with the same one, each would install the hosts of
 * the other, in the wrong segment. The later of two is told.
 */
export function routeTargetFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const exporters = new FirstWith();
  const takers = new FirstWith();
  return exchanges(networks).flatMap((exchange): readonly NetworkFinding[] => {
    const { network, exported, taken } = exchange;
    const clash = takers.find(exchange, exported) ?? exporters.find(exchange, taken);
    exporters.add(exchange, exported);
    takers.add(exchange, taken);
    if (clash === undefined) return [];
    const { target, other } = clash;
    const path = targetPath(exchange);
    const { vni, bgp } = exchange.spec.vxlan;
    const value = path.at(-1) === "routeTarget" ? bgp.routeTarget : vni;
    const place = locate(other.network, targetPath(other));
    const both = `that ${place} has too: hosts of the one segment would be taken for the other's`;
    const message = target === value ? `is the route target ${both}` : `gives the route target ${target} ${both}`;
    const remedy = "set bgp.routeTarget to another in one of them, and on the switches";
    return [{ network, finding: { code: "RouteTargetClash", path, value, message, remedy } }];
  });
}

/** What is named in `importRouteTargets` may be meant, as in a migration from one segment to another. */
export function sharedRouteTargetWarnings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const refused = new Set(routeTargetFindings(networks, locate).map(({ network }) => network));
  const all = exchanges(networks);
  const exporters = new FirstWith();
  for (const exchange of all) exporters.add(exchange, exchange.exported);
  return all
    .filter(({ network }) => !refused.has(network))
    .flatMap((exchange) =>
      (exchange.spec.vxlan.bgp.importRouteTargets ?? []).flatMap((target, index): readonly NetworkFinding[] => {
        const clash = exchange.exported.includes(target) ? undefined : exporters.find(exchange, [target]);
        if (clash === undefined) return [];
        const place = locate(clash.other.network, targetPath(clash.other));
        const finding = {
          code: "RouteTargetClash",
          path: ["vxlan", "bgp", "importRouteTargets", index],
          value: target,
          message: `is the route target of ${place}: the hosts of that network are taken for this one's`,
          remedy: "keep it if that is meant",
        } as const;
        return [{ network: exchange.network, finding }];
      }),
    );
}

function exchanges(networks: NetworkSet): readonly Exchange[] {
  return networks.flatMap((spec, network): readonly Exchange[] => {
    if (spec === undefined || !isSpeaker(spec) || isUnknown(spec.vxlan.nodeNet)) return [];
    const targets = routeTargets(spec.vxlan.bgp, spec.vxlan.vni);
    const known = (list: readonly string[]) => list.filter((target) => !isUnknown(target));
    const taken = spec.vxlan.bgp.importRouteTargets === undefined ? targets.import : [];
    return [{ network, spec, exported: known(targets.export), taken: known(taken) }];
  });
}

function targetPath({ spec: { vxlan } }: Exchange): Path {
  const { routeTarget } = vxlan.bgp;
  return routeTarget?.includes(":") ? ["vxlan", "bgp", "routeTarget"] : segmentPath({ type: "vxlan" });
}

/** Of each fabric and target the first network. Networks of different fabrics never meet, and a fabric has one underlay. */
class FirstWith {
  readonly #networks = new Map<string, Exchange>();

  add(exchange: Exchange, targets: readonly string[]): void {
    for (const target of targets) {
      const key = keyOf(exchange, target);
      if (!this.#networks.has(key)) this.#networks.set(key, exchange);
    }
  }

  find(exchange: Exchange, targets: readonly string[]): Clash | undefined {
    for (const target of targets) {
      const other = this.#networks.get(keyOf(exchange, target));
      if (other !== undefined) return { target, other };
    }
    return undefined;
  }
}

interface Clash {
  readonly target: string;
  readonly other: Exchange;
}

const keyOf = ({ spec }: Exchange, target: string): string => `${spec.vxlan.nodeNet} ${target}`;
