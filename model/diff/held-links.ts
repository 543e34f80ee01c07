import type { VlanLinkPlan, VxlanLinkPlan } from "../node-plan/node-plan.js";
import type { ObservedLink } from "./observed-state.js";

/** The kernel's links, found without reading all of them for each network. */
export interface HeldLinks {
  readonly byName: ReadonlyMap<string, ObservedLink>;
  readonly bySegment: ReadonlyMap<string | undefined, readonly ObservedLink[]>;
  /** VXLAN interfaces in metadata mode, by UDP port. */
  readonly externalByPort: ReadonlyMap<number | undefined, readonly ObservedLink[]>;
}

export function heldLinks(links: readonly ObservedLink[]): HeldLinks {
  return {
    byName: new Map(links.map((link) => [link.name, link])),
    bySegment: Map.groupBy(links, segmentOf),
    externalByPort: Map.groupBy(
      links.filter(({ vxlan }) => vxlan?.external),
      ({ vxlan }) => vxlan?.port,
    ),
  };
}

/** What two interfaces cannot share, as people name it. */
export function plannedSegment(plan: VxlanLinkPlan | VlanLinkPlan): string {
  return plan.kind === "vlan" ? vlanSegment(plan.parent, plan.id) : vxlanSegment(plan.vni, plan.port);
}

/** Undefined for other kinds of interfaces. */
function segmentOf({ parent, vlan, vxlan }: ObservedLink): string | undefined {
  if (vxlan !== undefined) return vxlanSegment(vxlan.vni, vxlan.port);
  return vlan === undefined || parent === undefined ? undefined : vlanSegment(parent, vlan.id);
}

function vlanSegment(parent: string, id: number): string {
  return `VLAN ${id} on ${parent}`;
}

function vxlanSegment(vni: number, port: number): string {
  return `VNI ${vni} on port ${port}`;
}
