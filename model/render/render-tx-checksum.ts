import type { VxlanLinkPlan } from "../node-plan/node-plan.js";
import type { Symbolic } from "./symbolic.js";

/**
 * The feature by which the kernel offers all transmit checksums of a VXLAN interface (vxlan_setup: NETIF_F_HW_CSUM). Without it
 * segmentation is not offloaded either (netdev_fix_features), so that the stack below sees whole packets
 * (flannel-io/flannel#1279).
 */
export const txChecksumFeature = "tx-checksum-ip-generic";

/** Empty where the offload is left as the kernel makes it. */
export function renderTxChecksum({
  name,
  txChecksum,
}: Pick<Symbolic<VxlanLinkPlan>, "name" | "txChecksum">): readonly string[] {
  if (txChecksum === undefined) return [];
  return [`ethtool --offload ${name} ${txChecksumFeature} ${txChecksum ? "on" : "off"}`];
}
