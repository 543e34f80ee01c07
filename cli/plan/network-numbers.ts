import {
  type FilterPlan,
  familyOf,
  gobgpPort,
  interfaceName,
  type Mark,
  markVariables,
  type NamedNetwork,
  type NetworkPlan,
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
  type UnplannedNetwork,
} from "../../model/index.js";

/** Every number of one network that somebody may meet on a node, at a peer or in a firewall. */
export interface NetworkNumbers {
  readonly name: string;
  readonly type: NamedNetwork["type"];
  /** VNI or VLAN id. */
  readonly segment: number;
  readonly interface: string;
  /** Of the first subnet. */
  readonly table: number;
  /** TCP port on 127.0.0.1; with BGP only, as the next two. */
  readonly gobgpPort?: number;
  /** `$VTEP` stands for the node's own address where no node is known. */
  readonly routeDistinguisher?: string;
  readonly routeTargets?: RouteTargets;
  readonly subnets: readonly SubnetNumbers[];
}

export interface SubnetNumbers {
  readonly cidr: string;
  readonly gateway: string;
  readonly table: number;
  readonly rulePriorities: SourcePriorities | RulePriorities;
  /** `VALUE/MASK` as `ip rule` prints it; absent where replies are not marked. */
  readonly mark?: string;
}

/** Of a subnet whose replies are not marked. */
type SourcePriorities = Omit<RulePriorities, "mark" | "markGuard">;

/** The numbers as the configuration alone gives them. */
export function configuredNumbers(network: NamedNetwork, markMask: number): NetworkNumbers {
  const variables = markVariables(network);
  return numbers(network, undefined, (routing) => {
    const variable = variables.get(routingTable(network, routing));
    return routing.returnPath === "source" || variable === undefined
      ? undefined
      : renderMark({ value: variable, mask: markMask });
  });
}

/** The numbers on one node, which has chosen the marks. */
export function plannedNumbers(network: NamedNetwork, plan: NetworkPlan | UnplannedNetwork): NetworkNumbers {
  const distinguisher = "speaker" in plan ? plan.speaker?.routeDistinguisher : undefined;
  return numbers(network, distinguisher, ({ cidr }) => {
    const mark = markOf(plan.filter, cidr);
    return mark === undefined ? undefined : renderMark(mark);
  });
}

function markOf(filter: FilterPlan, cidr: string): Mark | undefined {
  const own = filter.prefixMarks?.find(({ prefix }) => prefix === cidr);
  return own === undefined ? filter.mark : own.mark;
}

function numbers(
  network: NamedNetwork,
  distinguisher: string | undefined,
  markText: (routing: Routing) => string | undefined,
): NetworkNumbers {
  const subnets = network.routing.map((routing): SubnetNumbers => {
    const { cidr, gateway } = routing;
    const mark = markText(routing);
    const { mark: markRule, markGuard, ...bySource } = rulePriorities(familyOf(cidr), parsePrefix(cidr)?.length ?? 0);
    return {
      cidr,
      gateway,
      table: routingTable(network, routing),
      rulePriorities: mark === undefined ? bySource : { ...bySource, mark: markRule, markGuard },
      ...(mark === undefined ? {} : { mark }),
    };
  });
  return {
    name: network.name,
    type: network.type,
    segment: segmentId(network),
    interface: interfaceName(network),
    table: subnets[0]?.table ?? segmentId(network),
    ...speakerNumbers(network, distinguisher),
    subnets,
  };
}

function speakerNumbers(
  network: NamedNetwork,
  distinguisher: string | undefined,
): Pick<NetworkNumbers, "gobgpPort" | "routeDistinguisher" | "routeTargets"> {
  if (network.type !== "vxlan" || network.vxlan.bgp === undefined) return {};
  const { vxlan } = network;
  const { bgp } = network.vxlan;
  return {
    gobgpPort: gobgpPort(network),
    routeDistinguisher: distinguisher ?? routeDistinguisher(vxlan, bgp.routerId ?? "$VTEP"),
    routeTargets: routeTargets(bgp, vxlan.vni),
  };
}
