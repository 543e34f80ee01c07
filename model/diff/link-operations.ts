import type { LinkPlan, PlanCondition, VxlanLinkPlan } from "../node-plan/node-plan.js";
import { networkOfAlias } from "../ownership/alias.js";
import { renderLink, renderLinkUp } from "../render/render-link.js";
import { type HeldLinks, plannedSegment } from "./held-links.js";
import type { ObservedLink } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";

export type LinkOperations =
  | {
      readonly kind: "plan";
      /** Create or change; the interface is not set up here, because sysctls must come first. */
      readonly operations: readonly Operation[];
      readonly up: readonly Operation[];
      /** The interface is new afterwards: what hung on the old one, its routes and FDB, is gone. */
      readonly fresh: boolean;
    }
  | { readonly kind: "conflict"; readonly condition: PlanCondition };

export function linkOperations(plan: LinkPlan, links: HeldLinks): LinkOperations {
  const existing = links.byName.get(plan.name);
  const foreign = existing === undefined ? undefined : ownershipConflict(plan, existing);
  if (foreign !== undefined) return { kind: "conflict", condition: foreign };
  if (existing === undefined || !isSameLink(plan, existing)) {
    const conflict = segmentConflict(plan, links);
    if (conflict !== undefined) return { kind: "conflict", condition: conflict };
    return created(plan, existing === undefined ? [] : [deleteLink(plan.name)]);
  }
  return {
    kind: "plan",
    operations: [
      ...(existing.alias === plan.alias ? [] : markOperations(plan)),
      ...(existing.mtu === plan.mtu ? [] : [ip(`ip link set dev ${plan.name} mtu ${plan.mtu}`)]),
      // As a port of a bridge or VRF it would hand packets on before they are routed, and MetalLB would not answer on it.
      ...(existing.master === undefined ? [] : [ip(`ip link set dev ${plan.name} nomaster`)]),
      ...(plan.kind === "vxlan" ? vxlanChanges(plan, existing) : []),
    ],
    up: existing.up ? [] : [ip(renderLinkUp(plan))],
    fresh: false,
  };
}

export function deleteLink(name: string): Operation {
  return ip(`ip link del dev ${name}`);
}

/**
 * By the alias. It is set after the creation, in the same batch; a VXLAN interface without one is known by its MAC, which
 * nobody else would derive.
 */
export function isOurLink(link: ObservedLink, plan?: LinkPlan): boolean {
  if (networkOfAlias(link.alias) !== undefined) return true;
  return plan?.kind === "vxlan" && link.name === plan.name && link.alias === undefined && link.mac === plan.mac;
}

function created(plan: LinkPlan, first: readonly Operation[]): LinkOperations {
  return {
    kind: "plan",
    operations: [...first, ...renderLink(plan).map(ip)],
    up: [ip(renderLinkUp(plan))],
    fresh: true,
  };
}

/** All but the creation: sets the alias. */
function markOperations(plan: LinkPlan): readonly Operation[] {
  return renderLink(plan).slice(1).map(ip);
}

/** The kernel changes neither the segment nor the port of an interface; a MAC is what the fabric knows it by. */
function isSameLink(plan: LinkPlan, existing: ObservedLink): boolean {
  if (plan.kind !== existing.kind) return false;
  if (plan.kind === "vlan") return existing.parent === plan.parent && existing.vlan?.id === plan.id;
  return existing.mac === plan.mac && existing.vxlan?.vni === plan.vni && existing.vxlan.port === plan.port;
}

function vxlanChanges(plan: VxlanLinkPlan, existing: ObservedLink): readonly Operation[] {
  if (existing.vxlan?.local === plan.local && existing.vxlan.learning === plan.learning) return [];
  const learning = plan.learning ? "learning" : "nolearning";
  // iproute2 wants the id again, although the kernel lets nobody change it.
  return [ip(`ip link set dev ${plan.name} type vxlan id ${plan.vni} local ${plan.local} ${learning}`)];
}

function ownershipConflict(plan: LinkPlan, existing: ObservedLink): PlanCondition | undefined {
  if (isOurLink(existing, plan)) return undefined;
  return {
    reason: "ForeignInterface",
    message: `interface ${plan.name} exists and was not made by this agent; remove it or choose another segment`,
  };
}

/**
 * The kernel takes one VXLAN interface for a VNI and port, and one VLAN interface for a parent and id. Beside an interface
 * in metadata mode no other comes up on its port (measured; cilium/cilium#38583).
 */
function segmentConflict(plan: LinkPlan, { bySegment, externalByPort }: HeldLinks): PlanCondition | undefined {
  const [holder] = plan.kind === "vxlan" ? (externalByPort.get(plan.port) ?? []) : [];
  if (holder !== undefined && plan.kind === "vxlan") {
    const message =
      `UDP port ${plan.port} is held by ${holder.name}, which was not made by this agent; ` +
      "choose another vxlan.port, on the peers too";
    return { reason: "PortInUse", message };
  }
  const segment = plannedSegment(plan);
  const other = bySegment.get(segment)?.find(({ name }) => name !== plan.name);
  if (other === undefined) return undefined;
  return {
    reason: "SegmentInUse",
    message: `${segment} belongs to interface ${other.name}, which was not made by this agent; remove ${other.name} first`,
  };
}
