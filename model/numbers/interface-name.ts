import type { NetworkSpec } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";
import { segmentId } from "./routing-table.js";

/**
 * The interface that carries a network's routes and addresses: `br228` where its VXLAN interface is the port of a bridge, else that of
 * the segment itself.
 */
export function interfaceName(spec: NetworkSpec): string {
  if (spec.type === "vlan" || spec.vxlan.bridge === undefined) return segmentInterfaceName(spec);
  const { vni, bridge } = spec.vxlan;
  return derived([vni, bridge], () => (bridge ? bridgeName(vni) : segmentInterfaceName(spec)));
}

/** Whether an interface that a network makes could have this name. */
export function isOurForm(name: string): boolean {
  return /^(?:vxlan|vlan|br)\d+$/.test(name);
}

/** Of the bridge to which a VXLAN interface of ours belongs. */
export function bridgeName(vni: number): string {
  return `br${vni}`;
}

/**
 * `vxlan228` or `vlan220`: at most 13 characters of the kernel's 15 because the parent's name is not part of it
 * (truncated names: systemd/systemd#2407), and outside the interfaces that MetalLB excludes by default.
 */
export function segmentInterfaceName(spec: NetworkSpec): string {
  const id = segmentId(spec);
  return derived([id], () => `${spec.type}${id}`);
}
