import type { BridgeLinkPlan, LinkPlan, VlanLinkPlan, VxlanLinkPlan } from "../node-plan/node-plan.js";
import { linkGroup } from "../ownership/link-group.js";
import { shellWord } from "./shell-word.js";
import type { Symbolic } from "./symbolic.js";

/**
 * The commands that create the interfaces of a network, in our group, and name it in their alias. They stay down: sysctls and the segment filter come first.
 * The MAC is part of the creation, because udev replaces a random one shortly after it (flannel-io/flannel#1155).
 */
export function renderLink(link: Symbolic<LinkPlan>): readonly string[] {
  switch (link.kind) {
    case "adopted":
      return [];
    case "bridge":
      return [...renderInterface(link), ...renderInterface(link.tunnel), ...renderPort(link.tunnel, link.name)];
    default:
      return renderInterface(link);
  }
}

export function renderInterface(link: Symbolic<VxlanLinkPlan | VlanLinkPlan | BridgeLinkPlan>): readonly string[] {
  return [renderCreation(link), `ip link set dev ${link.name} alias ${shellWord(link.alias)}`];
}

function renderCreation(link: Symbolic<VxlanLinkPlan | VlanLinkPlan | BridgeLinkPlan>): string {
  switch (link.kind) {
    case "bridge":
      return `ip link add name ${link.name} address ${link.mac} mtu ${link.mtu} group ${linkGroup} type bridge`;
    case "vxlan":
      return (
        `ip link add name ${link.name} address ${link.mac} mtu ${link.mtu} group ${linkGroup} type vxlan id ${link.vni} ` +
        `local ${link.local} dstport ${link.port} ${learningOption(link)}`
      );
    case "vlan":
      return `ip link add link ${shellWord(link.parent)} name ${link.name} mtu ${link.mtu} group ${linkGroup} type vlan id ${link.id}`;
  }
}

/** Makes a VXLAN interface the port of a bridge. A port is not set up to learn until it is one. */
export function renderPort(tunnel: Symbolic<VxlanLinkPlan>, bridge: string): readonly string[] {
  return [`ip link set dev ${tunnel.name} master ${bridge}`, renderPortLearning(tunnel)];
}

/**
 * Where the VXLAN interface learns no MACs from the segment its bridge must not learn them either: they would stand against the
 * routes, and a host of the fabric would count as one of the node's own.
 */
export function renderPortLearning(tunnel: Pick<Symbolic<VxlanLinkPlan>, "name" | "learning">): string {
  return `ip link set dev ${tunnel.name} type bridge_slave learning ${tunnel.learning ? "on" : "off"}`;
}

export function learningOption({ learning }: Pick<VxlanLinkPlan, "learning">): "learning" | "nolearning" {
  return learning ? "learning" : "nolearning";
}

/** The port first: a bridge without one that is up has no carrier. */
export function renderLinkUp(link: Symbolic<LinkPlan>): readonly string[] {
  return (link.kind === "bridge" ? [link.tunnel.name, link.name] : [link.name]).map(renderInterfaceUp);
}

export function renderInterfaceUp(name: string): string {
  return `ip link set dev ${name} up`;
}
