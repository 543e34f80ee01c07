import { familyOf } from "../address/prefix.js";
import type { NamedNetwork, Routing } from "../configuration/configuration.js";
import { ipv6Prefixes } from "../configuration/smallest-mtu.js";
import { derived } from "../configuration/unknown-value.js";
import { compareTexts } from "../node-plan/compare.js";
import { carriesIpv6 } from "../node-plan/ipv6-mtu.js";
import type { FilterPlan, LinkPlan, Mark } from "../node-plan/node-plan.js";
import { markedTables, marksReplies, planFilter } from "../node-plan/plan-filter.js";
import { planRoutes } from "../node-plan/plan-routes.js";
import { insideNetworks, planRules } from "../node-plan/plan-rules.js";
import { planStaticAddresses } from "../node-plan/plan-static-addresses.js";
import { planSysctls } from "../node-plan/plan-sysctls.js";
import { segmentMtu } from "../node-plan/segment-mtu.js";
import type { Cni } from "../numbers/cni.js";
import { interfaceName, segmentInterfaceName } from "../numbers/interface-name.js";
import { markMaskOf } from "../numbers/marks.js";
import { routingTable } from "../numbers/routing-table.js";
import { aliasOf } from "../ownership/alias.js";
import { networkCommands } from "./network-commands.js";
import { type Symbolic, type Variable, vtepVariable } from "./symbolic.js";

/**
 * The commands of a network as the configuration alone gives them, for a preview that has no node. What only the node
 * knows stands as a variable: `$NODE`, `$VTEP`, `$MAC`, `$MARK` (a second table has `$MARK_<table>`), and `$MTU` where no MTU is
 * configured. For a node whose net.ipv4.conf.all.rp_filter is 0 and whose underlay carries what the segment sends.
 *
 * @param others {@link nodeNetworks} of the networks beside this one, as far as they are known: they are exceptions of this one too.
 */
export function configurationCommands(
  network: NamedNetwork,
  podNetworks: readonly string[],
  cni?: Cni,
  others: readonly string[] = [],
): readonly string[] {
  return derived([network, podNetworks, cni, others], () =>
    commands(
      network,
      insideNetworks({ podNetworks: [...podNetworks, ...others], networks: [network] }),
      markMaskOf(cni),
    ),
  );
}

function commands(network: NamedNetwork, inside: readonly string[], markMask: number): readonly string[] {
  // The table stands in for the mark's value until its variable takes the place: both are one per table.
  const markOf = (routing: Routing): Mark | undefined =>
    marksReplies(routing) ? { value: routingTable(network, routing), mask: markMask } : undefined;
  const variables = markVariables(network);
  const link = symbolicLink(network);
  // As far as the configuration tells.
  const mtu = segmentMtu(network);
  const entrance = { device: link.name, ...(link.kind === "bridge" ? { bridgeMac: link.mac } : {}) };
  return networkCommands({
    link,
    sysctls: planSysctls(link.name, {
      validateByMark: false,
      ipv6: carriesIpv6(mtu),
      ipv6Subnets: ipv6Prefixes(network.routing).length > 0,
    }),
    filter: symbolicFilter(planFilter(network, markOf, "reply", entrance, undefined), variables),
    flood: network.type === "vxlan" ? (network.vxlan.remotes ?? []).toSorted(compareTexts) : [],
    addressesOfNodes: addressesOfNodes(network, { name: link.name, mtu }),
    routes: planRoutes(network, { name: link.name, mtu }),
    rules: planRules(network, inside, markOf).map((rule) => symbolicMark(rule, variables)),
  });
}

function addressesOfNodes({ routing }: NamedNetwork, { name, mtu }: { readonly name: string; readonly mtu: number }) {
  const carried = routing.filter(({ cidr }) => familyOf(cidr) === 4 || carriesIpv6(mtu));
  const nodes = new Set(carried.flatMap(({ staticAddresses = [] }) => staticAddresses.map(({ node }) => node)));
  return [...nodes]
    .sort(compareTexts)
    .flatMap((node) => planStaticAddresses(carried, node, name).map((address) => ({ node, address })));
}

/** By table. */
export type MarkVariables = ReadonlyMap<number, Variable>;

/** What stands for the marks of a network in its commands; empty where no reply is marked. */
export function markVariables(network: NamedNetwork): MarkVariables {
  const [first, ...others] = [...new Set(markedTables(network))].sort((left, right) => left - right);
  if (first === undefined) return new Map();
  return new Map<number, Variable>([
    [first, "$MARK"],
    ...others.map((table): [number, Variable] => [table, `$MARK_${table}`]),
  ]);
}

function symbolicMark<Plan extends { readonly mark?: Mark }>(
  plan: Plan,
  variables: MarkVariables,
): Omit<Plan, "mark"> & { readonly mark?: Symbolic<Mark> } {
  const { mark, ...rest } = plan;
  if (mark === undefined) return rest;
  return { ...rest, mark: { value: variables.get(mark.value) ?? mark.value, mask: mark.mask } };
}

function symbolicFilter(filter: FilterPlan, variables: MarkVariables): Symbolic<FilterPlan> {
  const { prefixMarks, ...rest } = symbolicMark(filter, variables);
  if (prefixMarks === undefined) return rest;
  return { ...rest, prefixMarks: prefixMarks.map((entry) => symbolicMark(entry, variables)) };
}

function symbolicLink(network: NamedNetwork): Symbolic<LinkPlan> {
  const common = { name: segmentInterfaceName(network), alias: aliasOf(network.name) };
  if (network.type === "vlan") {
    return {
      ...common,
      kind: "vlan",
      parent: network.vlan.parent,
      id: network.vlan.id,
      mtu: network.vlan.mtu ?? "$MTU",
    };
  }
  const { vni, port, bgp, bridge, txChecksum } = network.vxlan;
  const mtu = network.vxlan.mtu ?? "$MTU";
  const mac = "$MAC";
  const tunnel = {
    ...common,
    kind: "vxlan",
    vni,
    port,
    local: vtepVariable,
    mtu,
    mac,
    learning: bgp === undefined,
    ...(txChecksum === undefined ? {} : { txChecksum }),
  } as const;
  return bridge ? { ...common, kind: "bridge", name: interfaceName(network), mtu, mac, tunnel } : tunnel;
}
