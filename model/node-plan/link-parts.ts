import type { Symbolic } from "../render/symbolic.js";
import type { LinkPlan, VxlanLinkPlan } from "./node-plan.js";

/** The VXLAN interface of a network: forwarding entries belong to it, whatever carries the routes. */
export function tunnelOf(link: LinkPlan): VxlanLinkPlan | undefined;
export function tunnelOf(link: Symbolic<LinkPlan>): Symbolic<VxlanLinkPlan> | undefined;
export function tunnelOf(link: Symbolic<LinkPlan>): Symbolic<VxlanLinkPlan> | undefined {
  if (link.kind === "vxlan") return link;
  return link.kind === "bridge" ? link.tunnel : undefined;
}

/** The interface in the segment itself: a bridge may come between it and the network's routes, or go. */
export function segmentInterface(link: LinkPlan): string {
  return tunnelOf(link)?.name ?? link.name;
}

/** What the agent makes and deletes for a network. */
export function madeInterfaces(link: LinkPlan): readonly string[] {
  if (link.kind === "adopted") return [];
  return link.kind === "bridge" ? [link.name, link.tunnel.name] : [link.name];
}
