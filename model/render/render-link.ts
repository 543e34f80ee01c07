import type { LinkPlan } from "../node-plan/node-plan.js";
import { shellWord } from "./shell-word.js";
import type { Symbolic } from "./symbolic.js";

/**
 * The commands that create the interface and mark it as ours. It stays down: sysctls and the segment filter come first.
 * The MAC is part of the creation, because udev replaces a random one shortly after it (flannel-io/flannel#1155).
 */
export function renderLink(link: Symbolic<LinkPlan>): readonly string[] {
  const create =
    link.kind === "vxlan"
      ? `ip link add name ${link.name} address ${link.mac} mtu ${link.mtu} type vxlan id ${link.vni} ` +
        `local ${link.local} dstport ${link.port} ${link.learning ? "learning" : "nolearning"}`
      : `ip link add link ${shellWord(link.parent)} name ${link.name} mtu ${link.mtu} type vlan id ${link.id}`;
  return [create, `ip link set dev ${link.name} alias ${shellWord(link.alias)}`];
}

export function renderLinkUp(link: Pick<LinkPlan, "name">): string {
  return `ip link set dev ${link.name} up`;
}
