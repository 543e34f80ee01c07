import type { NetworkSpec, Routing } from "../configuration/configuration.js";

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
