import { tunnelOf } from "../node-plan/link-parts.js";
import type { LinkPlan } from "../node-plan/node-plan.js";
import { networkOfAlias } from "./alias.js";
import { linkGroup } from "./link-group.js";

/** What an interface carries of our marks. */
export interface LinkMarks {
  readonly alias?: string;
  readonly group?: number;
}

/**
 * Whether we made an interface. The alias says so, and names its network. It cannot be part of the creation, and another program may
 * write its own over it; the group stands from the first moment.
 */
export function isMarkedOurs({ alias, group }: LinkMarks): boolean {
  return group === linkGroup || networkOfAlias(alias) !== undefined;
}

/** What stays of an interface whose marks somebody has taken away. */
export interface LinkIdentity extends LinkMarks {
  readonly name: string;
  readonly kind?: string;
  readonly mac?: string;
  readonly vni?: number;
}

/**
 * Whether an interface is one that we make for a network. A VXLAN interface that lost both marks is known by name, VNI and MAC
 * together: nobody else would derive this MAC, but it may be copied. A bridge is not known by it, for without a MAC of its own it has
 * that of a port (br_stp_recalculate_bridge_id), and our VXLAN interface may be a port of anybody's bridge.
 */
export function isOurs(existing: LinkIdentity, plan: LinkPlan): boolean {
  if (isMarkedOurs(existing)) return true;
  const tunnel = tunnelOf(plan);
  return (
    tunnel !== undefined &&
    existing.kind === "vxlan" &&
    existing.name === tunnel.name &&
    existing.vni === tunnel.vni &&
    existing.mac === tunnel.mac
  );
}
