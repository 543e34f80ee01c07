import {
  canonicalAddress,
  containsAddress,
  familyOf,
  type NodePlan,
  parsePrefix,
  type RoutePlan,
  type RulePlan,
} from "../../../model/index.js";

export interface Packet {
  readonly from: string;
  readonly to: string;
  /** Value of the packet's mark; 0 when absent. */
  readonly mark?: number;
}

/** What of the node is not part of a plan. */
export interface Surroundings {
  /** Addresses of the node: what the local table holds. */
  readonly local?: readonly string[];
  /** Priority of the rule that looks up the local table. */
  readonly localPriority?: number;
}

const localTable = 255;
const mainTable = 254;

/**
 * Where the kernel sends a packet by the rules and routes of a plan (fib_rules.c): `local`, `main`, `unreachable`, or the
 * device and gateway of one of the plan's routes. The main table is taken to have a default route.
 */
export function routeOf(plan: NodePlan, packet: Packet, { local = [], localPriority = 0 }: Surroundings = {}): string {
  const family = familyOf(packet.to);
  const localRule: RulePlan = { family, priority: localPriority, action: { kind: "lookup", table: localTable } };
  const mainRule: RulePlan = { family, priority: 32_766, action: { kind: "lookup", table: mainTable } };
  const rules = [localRule, ...plan.networks.flatMap((network) => network.rules), mainRule]
    .filter((rule) => rule.family === family && matches(rule, packet))
    .toSorted((left, right) => left.priority - right.priority);
  for (const { action } of rules) {
    if (action.kind === "unreachable") return "unreachable";
    if (action.table === mainTable) return "main";
    if (action.table === localTable) {
      if (local.map(canonicalAddress).includes(canonicalAddress(packet.to))) return "local";
      continue;
    }
    const route = longestMatch(plan, action.table, packet.to);
    if (route !== undefined) return route.gateway === undefined ? route.device : `${route.device} via ${route.gateway}`;
  }
  return "nowhere";
}

function matches({ from, to, mark }: RulePlan, packet: Packet): boolean {
  return (
    (from === undefined || contains(from, packet.from)) &&
    (to === undefined || contains(to, packet.to)) &&
    (mark === undefined || ((packet.mark ?? 0) & mark.mask) === mark.value)
  );
}

function longestMatch(plan: NodePlan, table: number, to: string): RoutePlan | undefined {
  const length = ({ destination }: RoutePlan): number => parsePrefix(destination)?.length ?? 0;
  return plan.networks
    .flatMap(({ routes }) => routes)
    .filter((route) => route.table === table && route.family === familyOf(to))
    .filter(({ destination }) => destination === "default" || contains(destination, to))
    .toSorted((left, right) => length(right) - length(left))[0];
}

function contains(prefix: string, address: string): boolean {
  const [outer, inner] = [parsePrefix(prefix), parsePrefix(`${address}/${familyOf(address) === 4 ? 32 : 128}`)];
  return outer !== undefined && inner !== undefined && containsAddress(outer, inner);
}
