import { familyOf } from "../address/prefix.js";
import type {
  AdoptedLinkPlan,
  BridgeLinkPlan,
  LinkPlan,
  PlanCondition,
  VlanLinkPlan,
  VxlanLinkPlan,
} from "../node-plan/node-plan.js";
import { linkGroup } from "../ownership/link-group.js";
import { isMarkedOurs, isOurs } from "../ownership/own-link.js";
import {
  learningOption,
  renderInterface,
  renderInterfaceUp,
  renderPort,
  renderPortLearning,
} from "../render/render-link.js";
import { type HeldLinks, plannedSegment } from "./held-links.js";
import { needsReplacement, strayRepairs } from "./link-strays.js";
import type { ObservedLink } from "./observed-state.js";
import { ip, type Operation } from "./operation.js";

export type LinkOperations = LinkChanges | LinkConflict;

export interface LinkChanges {
  readonly kind: "plan";
  /** Create or change; the interfaces are not set up here, because sysctls must come first. */
  readonly operations: readonly Operation[];
  readonly up: readonly Operation[];
  /** Interfaces that are new afterwards: what hung on the old ones, their routes and FDB, is gone. */
  readonly made: readonly string[];
}

interface LinkConflict {
  readonly kind: "conflict";
  readonly condition: PlanCondition;
}

export function linkOperations(plan: LinkPlan, links: HeldLinks): LinkOperations {
  switch (plan.kind) {
    case "adopted":
      return adoptedOperations(plan, links);
    case "bridge":
      return bridgeOperations(plan, links);
    default:
      return ownOperations(plan, links);
  }
}

export function deleteLink(name: string): Operation {
  return ip(`ip link del dev ${name}`);
}

/** Nothing but up. */
function adoptedOperations(plan: AdoptedLinkPlan, links: HeldLinks): LinkOperations {
  const existing = links.byName.get(plan.name);
  if (existing?.parent !== plan.parent || existing.vlan?.id !== plan.id)
    return { kind: "conflict", condition: lost(plan) };
  return { kind: "plan", operations: [], up: upOperations(existing), made: [] };
}

/** Between the plan and this look at the kernel; the next plan finds what is there then. */
function lost({ name, parent, id }: AdoptedLinkPlan): PlanCondition {
  const message = `interface ${name}, which carried VLAN ${id} on ${parent}, is not there any more`;
  return { reason: "AdoptedInterfaceLost", message };
}

function bridgeOperations(plan: BridgeLinkPlan, links: HeldLinks): LinkOperations {
  const own = ownOperations(plan, links);
  if (own.kind === "conflict") return own;
  const port = ownOperations(plan.tunnel, links, plan.name);
  if (port.kind === "conflict") return port;
  return {
    kind: "plan",
    operations: [...own.operations, ...port.operations],
    up: [...port.up, ...own.up],
    made: [...own.made, ...port.made],
  };
}

type OwnLinkPlan = VxlanLinkPlan | VlanLinkPlan | BridgeLinkPlan;

/**
 * What one interface of ours needs.
 *
 * @param bridge the one of which it is the port; undefined for an interface that is part of nothing
 */
function ownOperations(plan: OwnLinkPlan, links: HeldLinks, bridge?: string): LinkOperations {
  const existing = links.byName.get(plan.name);
  const foreign = existing === undefined ? undefined : ownershipConflict(plan, existing);
  if (foreign !== undefined) return { kind: "conflict", condition: foreign };
  if (existing === undefined || !isSameLink(plan, existing)) {
    const conflict = plan.kind === "bridge" ? undefined : segmentConflict(plan, links);
    if (conflict !== undefined) return { kind: "conflict", condition: conflict };
    return {
      kind: "plan",
      operations: [
        ...(existing === undefined ? [] : [deleteLink(plan.name)]),
        ...renderInterface(plan).map(ip),
        ...masterOperations(plan, undefined, bridge, links),
      ],
      up: [ip(renderInterfaceUp(plan.name))],
      made: [plan.name],
    };
  }
  return {
    kind: "plan",
    operations: [...changes(plan, existing), ...masterOperations(plan, existing, bridge, links)],
    up: upOperations(existing),
    made: [],
  };
}

/** An interface that somebody made a part of a bridge receives nothing any more: the bridge takes its packets. */
function masterOperations(
  plan: OwnLinkPlan,
  existing: ObservedLink | undefined,
  bridge: string | undefined,
  { byName }: HeldLinks,
): readonly Operation[] {
  if (bridge === undefined || plan.kind !== "vxlan") {
    return existing?.master === undefined ? [] : [ip(`ip link set dev ${plan.name} nomaster`)];
  }
  if (existing?.master !== bridge) return renderPort(plan, bridge).map(ip);
  const isUp = existing.up && byName.get(bridge)?.up === true;
  return [
    ...(existing.portLearning === plan.learning ? [] : [ip(renderPortLearning(plan))]),
    ...typeRepairs("bridge_slave", existing, isUp),
  ];
}

function upOperations({ name, up }: ObservedLink): readonly Operation[] {
  return up ? [] : [ip(renderInterfaceUp(name))];
}

/** The kernel changes neither the segment nor the UDP port of an interface, nor the family of its local address, nor some of its flags. */
function isSameLink(plan: OwnLinkPlan, existing: ObservedLink): boolean {
  if (plan.kind !== existing.kind || needsReplacement(existing.strays)) return false;
  if (plan.kind === "bridge") return true;
  if (plan.kind === "vlan") return existing.parent === plan.parent && existing.vlan?.id === plan.id;
  const { vxlan } = existing;
  if (vxlan?.vni !== plan.vni || vxlan.port !== plan.port || vxlan.local === undefined) return false;
  return familyOf(vxlan.local) === familyOf(plan.local);
}

function changes(plan: OwnLinkPlan, existing: ObservedLink): readonly Operation[] {
  const set = (text: string): Operation => ip(`ip link set dev ${plan.name} ${text}`);
  return [
    // All but the creation: sets the alias.
    ...(existing.alias === plan.alias ? [] : renderInterface(plan).slice(1).map(ip)),
    ...(existing.group === linkGroup ? [] : [set(`group ${linkGroup}`)]),
    ...strayRepairs("device", existing.strays).map(set),
    ...(plan.kind === "vxlan" ? [] : typeRepairs(plan.kind, existing)),
    ...(existing.mtu === plan.mtu ? [] : [set(`mtu ${plan.mtu}`)]),
    ...(plan.kind === "vlan" || existing.mac === plan.mac ? [] : [set(`address ${plan.mac}`)]),
    ...(plan.kind === "vxlan" ? tunnelChanges(plan, existing) : []),
  ];
}

function tunnelChanges(plan: VxlanLinkPlan, existing: ObservedLink): readonly Operation[] {
  const repairs = strayRepairs("vxlan", existing.strays);
  const isSame = existing.vxlan?.local === plan.local && existing.vxlan.learning === plan.learning;
  if (isSame && repairs.length === 0) return [];
  // iproute2 wants the id again, although the kernel lets nobody change it.
  const options = [`id ${plan.vni} local ${plan.local} ${learningOption(plan)}`, ...repairs].join(" ");
  return [ip(`ip link set dev ${plan.name} type vxlan ${options}`)];
}

function typeRepairs(type: "vlan" | "bridge" | "bridge_slave", { name, strays }: ObservedLink, isUp = true) {
  const repairs = strayRepairs(type, strays, isUp);
  return repairs.length === 0 ? [] : [ip(`ip link set dev ${name} type ${type} ${repairs.join(" ")}`)];
}

function ownershipConflict(plan: OwnLinkPlan, existing: ObservedLink): PlanCondition | undefined {
  const { vxlan, ...rest } = existing;
  if (isOurs(vxlan === undefined ? rest : { ...rest, vni: vxlan.vni }, plan)) return undefined;
  return {
    reason: "ForeignInterface",
    message: `interface ${plan.name} exists and was not made by this agent; remove it or choose another segment`,
  };
}

/**
 * The kernel takes one VXLAN interface for a VNI and port, and one VLAN interface for a parent and id. Beside an interface
 * in metadata mode no other comes up on its port (measured; cilium/cilium#38583). One of ours under another name (somebody
 * renamed it) is removed first.
 */
function segmentConflict(
  plan: VxlanLinkPlan | VlanLinkPlan,
  { bySegment, externalByPort }: HeldLinks,
): PlanCondition | undefined {
  const [holder] = plan.kind === "vxlan" ? (externalByPort.get(plan.port) ?? []) : [];
  if (holder !== undefined && plan.kind === "vxlan") {
    const message =
      `UDP port ${plan.port} is held by ${holder.name}, which was not made by this agent; ` +
      "choose another vxlan.port, on the peers too";
    return { reason: "PortInUse", message };
  }
  const segment = plannedSegment(plan);
  const other = bySegment.get(segment)?.find((link) => link.name !== plan.name && !isMarkedOurs(link));
  if (other === undefined) return undefined;
  return {
    reason: "SegmentInUse",
    message: `${segment} belongs to interface ${other.name}, which was not made by this agent; remove ${other.name} first`,
  };
}
