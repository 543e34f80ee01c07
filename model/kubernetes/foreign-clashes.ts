import type { NamedNetwork } from "../configuration/configuration.js";
import type { Mistake } from "../configuration/mistake.js";
import { interfaceName, segmentInterfaceName } from "../numbers/interface-name.js";
import { routingTable, segmentId } from "../numbers/routing-table.js";
import type { ForeignInterface, ForeignObjects } from "./objects.js";

/** What a node holds that is not ours. */
export interface ForeignOfNode {
  readonly node: string;
  readonly foreign: ForeignObjects;
}

/** Nodes that a message names; of a whole fleet nobody reads all. */
const namedNodes = 5;

type Clash = Omit<Mistake, "message"> & { readonly message: (nodes: string) => string };

/**
 * What a network would meet on nodes, by the rules by which agents refuse it there; paths are relative to the network. The same
 * on several nodes is one mistake that names them. A VLAN interface that another program made is none: agents use it as it is.
 */
export function foreignClashes(network: NamedNetwork, nodes: readonly ForeignOfNode[]): readonly Mistake[] {
  const found = new Map<string, { readonly clash: Clash; readonly holders: string[] }>();
  for (const { node, foreign } of nodes) {
    for (const clash of [...interfaceClashes(network, foreign.interfaces), ...tableClashes(network, foreign.tables)]) {
      const key = `${clash.path} ${clash.message("")}`;
      const known = found.get(key) ?? { clash, holders: [] };
      known.holders.push(node);
      found.set(key, known);
    }
  }
  return [...found.values()].map(({ clash, holders }) => ({ ...clash, message: clash.message(nodeList(holders)) }));
}

function nodeList(nodes: readonly string[]): string {
  const named = [...nodes].sort().slice(0, namedNodes).join(", ");
  return nodes.length > namedNodes ? `${named} and ${nodes.length - namedNodes} more` : named;
}

function interfaceClashes(network: NamedNetwork, interfaces: readonly ForeignInterface[]): readonly Clash[] {
  const carrying = interfaces.find((held) => carriesVlan(network, held));
  if (carrying !== undefined)
    return carrying.master === undefined ? [] : [enslaved(network, carrying, carrying.master)];
  const names = new Set([segmentInterfaceName(network), interfaceName(network)]);
  return interfaces.flatMap((held) => {
    const clash = names.has(held.name) ? nameTaken(network, held.name) : tunnelClash(network, held);
    return clash === undefined ? [] : [clash];
  });
}

function carriesVlan(network: NamedNetwork, { parent, vlanId }: ForeignInterface): boolean {
  return network.type === "vlan" && parent === network.vlan.parent && vlanId === network.vlan.id;
}

function enslaved(network: NamedNetwork, { name, parent }: ForeignInterface, master: string): Clash {
  return {
    code: "InterfaceEnslaved",
    ...segmentOf(network),
    message: (nodes) =>
      `on ${parent} is carried by the interface ${name} of ${nodes}, a port of ${master}, where no route can use it`,
    remedy: `take ${name} off ${master}, or keep the network off such nodes with nodeSelector`,
  };
}

function nameTaken(network: NamedNetwork, name: string): Clash {
  return {
    code: "ForeignInterface",
    ...segmentOf(network),
    message: (nodes) => `makes the interface ${name}, which another program has made on ${nodes}`,
    remedy: `remove ${name} there, choose another number, or keep the network off such nodes with nodeSelector`,
  };
}

/**
 * The kernel takes one VXLAN interface for a VNI and port. Beside an interface in metadata mode no other comes up on its port
 * (measured; cilium/cilium#38583).
 */
function tunnelClash(network: NamedNetwork, { name, vni, port, external }: ForeignInterface): Clash | undefined {
  if (network.type === "vlan" || port !== network.vxlan.port) return undefined;
  if (external === true) {
    return {
      code: "PortInUse",
      path: "vxlan.port",
      value: port,
      message: (nodes) => `is held by the interface ${name} of ${nodes}, which takes every VNI of it`,
      remedy: "choose another vxlan.port, on the peers too",
    };
  }
  if (vni !== network.vxlan.vni) return undefined;
  return {
    code: "SegmentInUse",
    ...segmentOf(network),
    message: (nodes) =>
      `on UDP port ${port} belongs to the interface ${name} of ${nodes}, which another program has made`,
    remedy: `remove ${name} there, choose another VNI, or another vxlan.port on the peers too`,
  };
}

function tableClashes(network: NamedNetwork, tables: readonly number[]): readonly Clash[] {
  const taken = new Set(tables);
  const clashes = network.routing.flatMap((routing, index): readonly Clash[] => {
    const table = routingTable(network, routing);
    if (!taken.has(table)) return [];
    return [
      {
        code: "TableClash",
        path: routing.table === undefined ? segmentOf(network).path : `routing[${index}].table`,
        value: table,
        message: (nodes) =>
          `is a routing table that another program's rule looks up on ${nodes}, for packets of any source`,
        remedy: "set routing.table to another number, or remove that rule first",
      },
    ];
  });
  // Subnets of both families share the segment's table.
  return [...new Map(clashes.map((clash) => [clash.path, clash])).values()];
}

function segmentOf(network: NamedNetwork): Pick<Mistake, "path" | "value"> {
  return { path: network.type === "vxlan" ? "vxlan.vni" : "vlan.id", value: segmentId(network) };
}
