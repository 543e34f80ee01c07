import type { NetworkSpec, Routing } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";

/** Tables that the kernel itself uses, by number; a route put into one of them would be everybody's route (measured). */
export const reservedTables: ReadonlyMap<number, string> = new Map([
  [0, "the kernel's unspecified table, which is main"],
  [253, "the kernel's default routing table"],
  [254, "the kernel's main routing table"],
  [255, "the kernel's local routing table"],
]);

export const mainTable = 254;
export const localTable = 255;

/** The VNI or VLAN id. */
export function segmentId(spec: NetworkSpec): number {
  return spec.type === "vxlan" ? spec.vxlan.vni : spec.vlan.id;
}

/** The number of the segment, so that an operator reads the network off the table; `routing.table` overrides. */
export function routingTable(spec: NetworkSpec, routing: Pick<Routing, "table">): number {
  return routing.table ?? segmentId(spec);
}

/**
 * The one table that stands for a network with several: the number of the segment where a subnet has it, else the least.
 * So it does not depend on the order in which subnets are written.
 */
export function networkTable(spec: NetworkSpec): number {
  const segment = segmentId(spec);
  const tables = [...new Set(spec.routing.map((routing) => routingTable(spec, routing)))];
  if (tables.includes(segment)) return segment;
  // Of several, one may turn out to be the segment's; a single one is the network's whatever the segment.
  return derived(tables.length > 1 ? [segment, ...tables] : tables, () => Math.min(...tables));
}
