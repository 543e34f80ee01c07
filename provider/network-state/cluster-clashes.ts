import {
  checkNetworks,
  interfaceName,
  type Mistake,
  type NamedNetwork,
  type NetworkStatus,
  type PublicNetworkObject,
  routerName,
  routingTable,
  segmentId,
  segmentInterfaceName,
} from "../../model/index.js";
import type { ClusterFacts } from "./cluster-facts.js";
import { isSelected } from "./network-lacks.js";

/** Clashes of one network with others in the cluster; paths are relative to the network. */
export function clashesWith(network: NamedNetwork, others: readonly PublicNetworkObject[]): readonly Mistake[] {
  return clashesBetween(
    network,
    others.map(({ metadata, spec }): NamedNetwork => ({ ...spec, name: metadata.name })),
  );
}

/**
 * The same of networks of this very stack. What networks of one session agree in changes in all of them at once: of this stack's
 * the program says what they will have.
 */
export function movingClashes(network: NamedNetwork, own: readonly PublicNetworkObject[]): readonly Mistake[] {
  return clashesWith(network, own).filter(({ code }) => code !== "SessionParametersDiffer");
}

/** The same of networks that need not be in the cluster. */
export function clashesBetween(network: NamedNetwork, others: readonly NamedNetwork[]): readonly Mistake[] {
  // Of two that clash the later one is reported, so ours stands last.
  return checkNetworks([...others, network])
    .filter(({ path }) => path.startsWith(`${network.name}.`))
    .map((mistake) => ({ ...mistake, path: mistake.path.slice(network.name.length + 1) }));
}

/** A network that nodes still carry although its object is gone, with these nodes. */
interface Orphan {
  readonly status: NetworkStatus;
  readonly nodes: readonly string[];
}

/**
 * Clashes with what is left on the nodes of networks whose objects are gone: absence is no order to remove, so their
 * interfaces and tables are still held. A network of the same name takes them over.
 */
export function clashesWithOrphans(network: NamedNetwork, facts: ClusterFacts): readonly Mistake[] {
  const interfaces = new Set([interfaceName(network), segmentInterfaceName(network)]);
  const tables = new Set(network.routing.map((routing) => routingTable(network, routing)));
  return orphansOf(facts, network)
    .filter(({ status }) => status.name !== network.name)
    .flatMap(({ status, nodes }): Mistake[] => {
      const holds = `network ${status.name}, which ${nodes.join(", ")} still ${nodes.length === 1 ? "carries" : "carry"} although its PublicNetwork is gone`;
      const remedy =
        `create ${status.name} again, or have the nodes remove it: add its uid ${status.uid} to status.removed of ` +
        `VlanRouter/${routerName}`;
      const place = { path: network.type === "vxlan" ? "vxlan.vni" : "vlan.id", value: segmentId(network), remedy };
      if (interfaces.has(status.interface.name)) {
        return [
          { ...place, code: "DuplicateSegment", message: `is the interface ${status.interface.name} of ${holds}` },
        ];
      }
      const table = status.tables.find((number) => tables.has(number));
      if (table === undefined) return [];
      return [{ ...place, code: "TableClash", message: `has the routing table ${table} of ${holds}` }];
    });
}

function orphansOf({ networks, nodes, routerNodes }: ClusterFacts, network: NamedNetwork): readonly Orphan[] {
  const declared = new Set(networks.map(({ metadata }) => metadata.uid));
  const selected = new Set(nodes.filter((node) => isSelected(node, network)).map(({ name }) => name));
  const orphans = new Map<string, { status: NetworkStatus; nodes: string[] }>();
  for (const { metadata, status } of routerNodes) {
    if (!selected.has(metadata.name)) continue;
    for (const carried of status?.networks ?? []) {
      if (declared.has(carried.uid)) continue;
      const known = orphans.get(carried.uid) ?? { status: carried, nodes: [] };
      known.nodes.push(metadata.name);
      orphans.set(carried.uid, known);
    }
  }
  return [...orphans.values()].map(({ status, nodes: holders }) => ({ status, nodes: holders.sort() }));
}
