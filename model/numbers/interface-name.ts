import type { NetworkSpec } from "../configuration/configuration.js";
import { derived } from "../configuration/unknown-value.js";
import { segmentId } from "./routing-table.js";

/**
 * `vxlan228` or `vlan220`: at most 13 characters of the kernel's 15 because the parent's name is not part of it
 * (truncated names: systemd/systemd#2407), and outside the interfaces that MetalLB excludes by default.
 */
export function interfaceName(spec: NetworkSpec): string {
  const id = segmentId(spec);
  return derived([id], () => `${spec.type}${id}`);
}
