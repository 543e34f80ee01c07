import {
  type FilterPlan,
  familyOf,
  gobgpPort,
  interfaceName,
  type Mark,
  markVariables,
  type NamedNetwork,
  type NetworkPlan,
  networkTable,
  parsePrefix,
  type RouteTargets,
  type Routing,
  type RulePriorities,
  renderMark,
  routeDistinguisher,
  routeTargets,
  routingTable,
  rulePriorities,
  segmentId,
} from "../../model/index.js";
import { marksReplies } from "../../model/node-plan/plan-filter.js";
import { routerIdVariable, vtepVariable } from "../../model/render/symbolic.js";

/** Every number of one network that somebody may meet on a node, at a peer or in a firewall. */
export interface NetworkNumbers {
  readonly name: string;
  readonly type: NamedNetwork["type"];
  /** VNI or VLAN id. */
  readonly segment: number;
  readonly interface: string;
  /** That of the segment where a subnet has it, else the least of the subnets. */
  readonly table: number;
  /** TCP port on 127.0.0.1; with BGP only, as the next two. */
  readonly gobgpPort?: number;
  /** `$VTEP` or `$ROUTER_ID` stands for the node's BGP identifier where no node is known; absent on a node that has none. */
  readonly routeDistinguisher?: string;
  readonly routeTargets?: RouteTargets;
  readonly subnets: readonly SubnetNumbers[];
}

export interface SubnetNumbers {
  readonly cidr: string;
  readonly gateway: string;
  readonly table: number;
  readonly rulePriorities: SourcePriorities | RulePriorities;
  /** `VALUE/MASK` as `ip rule` prints it; absent where replies are not marked, and on a node that does not carry the network. */
  readonly mark?: string;
}

/** Of a subnet whose replies are not marked. */
type SourcePriorities = Omit<RulePriorities, "mark" | "markGuard">;

/** The numbers as the configuration alone gives them. */
export function configuredNumbers(network: NamedNetwork, markMask: number): NetworkNumbers {
  const variables = markVariables(network);
  return numbers(network, routerIdOfAnyNode(network), (routing) => {
    const variable = variables.get(routingTable(network, routing));
    if (!marksReplies(routing) || variable === undefined) return "unmarked";
    return { mark: renderMark({ value: variable, mask: markMask }) };
  });
}

function routerIdOfAnyNode(network: NamedNetwork): string {
  return network.type === "vxlan" && familyOf(network.vxlan.nodeNet) === 6 ? routerIdVariable : vtepVariable;
}

/** The numbers on one node, which has chosen the marks. */
export function plannedNumbers(network: NamedNetwork, { filter, speaker }: NetworkPlan): NetworkNumbers {
  return numbers(network, speaker?.routerId, ({ cidr }) => {
    const mark = markOf(filter, cidr);
    return mark === undefined ? "unmarked" : { mark: renderMark(mark) };
  });
}

/** On a node that does not carry the network: nobody has chosen there what only a node can choose. */
export function unassignedNumbers(network: NamedNetwork): NetworkNumbers {
  return numbers(network, undefined, (routing) => (marksReplies(routing) ? {} : "unmarked"));
}

function markOf(filter: FilterPlan, cidr: string): Mark | undefined {
  const own = filter.prefixMarks?.find(({ prefix }) => prefix === cidr);
  return own === undefined ? filter.mark : own.mark;
}

/** Of a subnet: `mark` is absent while no node has chosen it. */
type Marking = "unmarked" | { readonly mark?: string };

/** @param ownRouterId the node's, absent where it has none */
function numbers(
  network: NamedNetwork,
  ownRouterId: string | undefined,
  markingOf: (routing: Routing) => Marking,
): NetworkNumbers {
  const subnets = network.routing.map((routing): SubnetNumbers => {
    const { cidr, gateway } = routing;
    const marking = markingOf(routing);
    const { mark, markGuard, ...bySource } = rulePriorities(familyOf(cidr), parsePrefix(cidr)?.length ?? 0);
    const common = { cidr, gateway, table: routingTable(network, routing) };
    return marking === "unmarked"
      ? { ...common, rulePriorities: bySource }
      : { ...common, rulePriorities: { ...bySource, mark, markGuard }, ...marking };
  });
  return {
    name: network.name,
    type: network.type,
    segment: segmentId(network),
    interface: interfaceName(network),
    table: networkTable(network),
    ...speakerNumbers(network, ownRouterId),
    subnets,
  };
}

function speakerNumbers(
  network: NamedNetwork,
  ownRouterId: string | undefined,
): Pick<NetworkNumbers, "gobgpPort" | "routeDistinguisher" | "routeTargets"> {
  if (network.type !== "vxlan" || network.vxlan.bgp === undefined) return {};
  const { vxlan } = network;
  const { bgp } = network.vxlan;
  const routerId = bgp.routerId ?? ownRouterId;
  const distinguisher =
    bgp.routeDistinguisher ?? (routerId === undefined ? undefined : routeDistinguisher(vxlan, routerId));
  return {
    gobgpPort: gobgpPort(network),
    ...(distinguisher === undefined ? {} : { routeDistinguisher: distinguisher }),
    routeTargets: routeTargets(bgp, vxlan.vni),
  };
}
