import { canonicalPrefix, familyOf } from "../address/prefix.js";
import type { Configuration, NamedNetwork, Routing } from "../configuration/configuration.js";
import { selects } from "../configuration/node-selector.js";
import { ipv6Prefixes } from "../configuration/smallest-mtu.js";
import { isSpeaker } from "../configuration/speaker-network.js";
import { interfaceName, segmentInterfaceName } from "../numbers/interface-name.js";
import { assignMarks, type MarkAssignment, markCapacity, markMaskOf } from "../numbers/marks.js";
import { routingTable } from "../numbers/routing-table.js";
import { firstRulePriority } from "../numbers/rule-priorities.js";
import { comparePrefixTexts, compareTexts } from "./compare.js";
import { carriesIpv6 } from "./ipv6-mtu.js";
import { ipvsConditions } from "./ipvs-conditions.js";
import { tunnelOf } from "./link-parts.js";
import type { MarkFact, NodeFacts } from "./node-facts.js";
import { nodeNetworkConditions } from "./node-network-condition.js";
import type {
  AnnouncementPlan,
  FilterPlan,
  Mark,
  NetworkPlan,
  NodePlan,
  PlanCondition,
  UnplannedNetwork,
} from "./node-plan.js";
import { type Entrance, markedTables, marksReplies, planFilter } from "./plan-filter.js";
import { type LinkResult, type NoLink, type PlannedLink, planLink } from "./plan-link.js";
import { planRoutes } from "./plan-routes.js";
import { insideNetworks, planRules } from "./plan-rules.js";
import { noSpeaker, otherVteps, planSpeaker } from "./plan-speaker.js";
import { planStaticAddresses } from "./plan-static-addresses.js";
import { planSysctls } from "./plan-sysctls.js";
import { ReplacedPrefixes } from "./replaced-prefixes.js";
import { reversePathConditions } from "./reverse-path-condition.js";
import { withoutDistinguisherClashes } from "./route-distinguisher-clash.js";
import { type Underlay, underlayOf } from "./vtep-address.js";

/**
 * The desired kernel state of one node. A network that cannot be planned there becomes a condition and leaves the others
 * alone; the result does not depend on the order of networks, subnets or facts.
 */
export function planNode(configuration: Configuration, facts: NodeFacts): NodePlan {
  const networks = configuration.networks
    .filter((network) => selects(network.nodeSelector, facts.labels))
    .toSorted((left, right) => compareTexts(left.name, right.name));
  const underlay = underlayOf(facts);
  const links = withoutDistinguisherClashes(
    new Map(networks.map((network) => [network, planLink(network, underlay)])),
    underlay,
  );
  const replaced = new ReplacedPrefixes(networks.filter((network) => links.get(network)?.kind === "link"));
  const markMask = markMaskOf(configuration.cni);
  const tables = networks.flatMap((network) => markedTables(network, replaced.routed(network)));
  const marks = assignMarks(tables, [...facts.marks, ...inheritedMarks(networks, replaced, facts.marks)], markMask);
  const markDirection = facts.rpFilterAll !== 0 ? "both" : "reply";
  const node: NodeContext = {
    networks,
    inside: insideNetworks(configuration),
    facts,
    underlay,
    marks,
    markMask,
    replaced,
  };
  const planned: NetworkPlan[] = [];
  const unplanned: UnplannedNetwork[] = [];
  for (const [network, result] of links) {
    const markOf = (routing: Routing) =>
      marksReplies(routing) && replaced.successor(network, routing) === undefined
        ? marks.marks.get(routingTable(network, routing))
        : undefined;
    const entrance = entranceOf(network, result, underlay);
    const mtu = result.kind === "link" ? result.link.mtu : underlay.links.get(entrance.device)?.mtu;
    const filter = planFilter(network, markOf, markDirection, entrance, mtu);
    if (result.kind === "none") unplanned.push(unplannedNetwork(network, node, filter, result));
    else planned.push(planNetwork(network, node, markOf, filter, result));
  }
  return { networks: planned, unplanned };
}

/** What all networks of a node share. */
interface NodeContext {
  /** Those that this node carries, as far as it can. */
  readonly networks: readonly NamedNetwork[];
  /** Networks that are answered by the main table. */
  readonly inside: readonly string[];
  readonly facts: NodeFacts;
  readonly underlay: Underlay;
  readonly marks: MarkAssignment;
  readonly markMask: number;
  readonly replaced: ReplacedPrefixes;
}

/**
 * The table that takes a prefix over takes its mark too, where nothing else of the old table needs it: our nft table, which
 * is loaded before the rules, then marks open connections as before.
 */
function inheritedMarks(
  networks: readonly NamedNetwork[],
  replaced: ReplacedPrefixes,
  marks: readonly MarkFact[],
): readonly MarkFact[] {
  const routedTables = new Set(networks.flatMap((network) => tablesOf(network, replaced.routed(network))));
  return networks.flatMap((network) =>
    network.routing.flatMap((routing) => {
      const successor = replaced.successor(network, routing);
      const table = routingTable(network, routing);
      if (successor === undefined || routedTables.has(table)) return [];
      const taker = successor.routing.find(({ cidr }) => canonicalPrefix(cidr) === canonicalPrefix(routing.cidr));
      if (taker === undefined) return [];
      return marks
        .filter((fact) => fact.table === table)
        .map(({ mark }) => ({ table: routingTable(successor, taker), mark }));
    }),
  );
}

function planNetwork(
  network: NamedNetwork,
  { inside, facts, underlay, marks, markMask, replaced }: NodeContext,
  markOf: (routing: Routing) => Mark | undefined,
  filter: FilterPlan,
  { link, conditions: linkConditions }: PlannedLink,
): NetworkPlan {
  const routed = replaced.routed(network);
  const carried = carriesIpv6(link.mtu) ? routed : routed.filter(({ cidr }) => familyOf(cidr) !== 6);
  const localFirst = facts.localRulePriority < firstRulePriority;
  const tunnel = tunnelOf(link);
  const { speaker, conditions: speakerConditions } =
    isSpeaker(network) && tunnel !== undefined ? planSpeaker(network, tunnel, underlay) : noSpeaker;
  const conditions = [
    ...linkConditions,
    ...speakerConditions,
    ...(localFirst ? [] : [localRuleTooLate(facts.localRulePriority)]),
    ...network.routing.flatMap((routing) => prefixReplaced(routing, replaced.successor(network, routing))),
    ...markedTables(network, routed)
      .filter((table) => marks.exhausted.includes(table))
      .map((table) => marksExhausted(table, markMask)),
    ...reversePathConditions({ device: link.name, subnets: routed, inside, markOf }, facts),
    ...nodeNetworkConditions(routed, markOf, inside, facts),
    ...ipvsConditions(routed, markOf, facts),
  ];
  const installable = facts.ipv6 === false ? carried.filter(({ cidr }) => familyOf(cidr) !== 6) : carried;
  const staticAddresses = planStaticAddresses(installable, facts.nodeName, link.name);
  return {
    network: network.name,
    link,
    routes: planRoutes(network, link),
    rules: localFirst ? planRules({ ...network, routing: routed }, inside, markOf) : [],
    sysctls:
      link.kind === "adopted"
        ? []
        : planSysctls(link.name, {
            validateByMark: filter.markDirection === "both" && filter.mark !== undefined,
            ipv6: facts.ipv6 !== false && carriesIpv6(link.mtu),
            ipv6Subnets: ipv6Prefixes(network.routing).length > 0,
          }),
    filter,
    flood:
      network.type === "vxlan"
        ? otherVteps(network.vxlan.remotes ?? [], tunnel === undefined ? [] : [tunnel.local])
        : [],
    ...(speaker === undefined ? {} : { speaker }),
    announcements: planAnnouncements(carried),
    ...(staticAddresses.length === 0 ? {} : { staticAddresses }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** What cannot be planned now keeps its filter, so the MAC of its bridge is then the one that stands. */
function entranceOf(network: NamedNetwork, result: LinkResult, { links }: Underlay): Entrance {
  if (result.kind === "link") {
    const { link } = result;
    return { device: link.name, ...(link.kind === "bridge" ? { bridgeMac: link.mac } : {}) };
  }
  const device = result.adopted ?? interfaceName(network);
  const bridgeMac = network.type === "vxlan" && network.vxlan.bridge ? links.get(device)?.mac : undefined;
  return { device, ...(bridgeMac === undefined ? {} : { bridgeMac }) };
}

function planAnnouncements(subnets: readonly Routing[]): readonly AnnouncementPlan[] {
  return subnets
    .map(({ cidr, gateway, arpAnnouncer }) => ({ family: familyOf(cidr), prefix: cidr, gateway, ...arpAnnouncer }))
    .sort((left, right) => comparePrefixTexts(left.prefix, right.prefix));
}

function unplannedNetwork(
  network: NamedNetwork,
  { networks, inside, facts, replaced }: NodeContext,
  filter: FilterPlan,
  { condition, adopted }: NoLink,
): UnplannedNetwork {
  const routed = replaced.routed(network);
  const staticAddresses = planStaticAddresses(routed, facts.nodeName, filter.device);
  // The network that it is to replace goes on routing these.
  const alone = routed.filter(({ replaces }) => !networks.some(({ name }) => name === replaces));
  return {
    network: network.name,
    device: filter.device,
    interfaces: adopted === undefined ? [...new Set([interfaceName(network), segmentInterfaceName(network)])] : [],
    tables: tablesOf(network),
    prefixes: routed.map(({ cidr }) => cidr).sort(comparePrefixTexts),
    rules:
      facts.localRulePriority < firstRulePriority
        ? planRules({ ...network, routing: alone }, inside, () => undefined)
        : [],
    filter,
    ...(staticAddresses.length === 0 ? {} : { staticAddresses }),
    condition,
  };
}

/** Ascending, each once. */
export function tablesOf(network: NamedNetwork, subnets = network.routing): readonly number[] {
  const tables = new Set(subnets.map((routing) => routingTable(network, routing)));
  return [...tables].sort((left, right) => left - right);
}

function prefixReplaced({ cidr }: Routing, successor: NamedNetwork | undefined): readonly PlanCondition[] {
  if (successor === undefined) return [];
  const message = `${cidr} is routed by ${successor.name} on this node, which replaces this network there`;
  return [{ reason: "PrefixReplaced", message }];
}

/** Our rules would stand before the local table, and packets to the node's own addresses would go to the gateway. */
function localRuleTooLate(priority: number): PlanCondition {
  return {
    reason: "LocalRuleTooLate",
    message:
      `the local table is looked up at priority ${priority}, after our rules (${firstRulePriority}); no rules are set; ` +
      `move it with: ip rule add priority 0 lookup local && ip rule del priority ${priority} lookup local`,
  };
}

function marksExhausted(table: number, markMask: number): PlanCondition {
  return {
    reason: "MarksExhausted",
    message:
      `no mark left for table ${table}: a mask of 0x${markMask.toString(16)} tells ${markCapacity(markMask)} networks ` +
      "apart; set returnPath: source where nothing rewrites the network's addresses",
  };
}
