import type { Path } from "./finding.js";
import type { UnnamedNetwork } from "./schema.js";

/** Where a network's number stands, from which its other numbers follow. */
export function segmentPath({ type }: Pick<UnnamedNetwork, "type">): Path {
  return type === "vxlan" ? ["vxlan", "vni"] : ["vlan", "id"];
}
