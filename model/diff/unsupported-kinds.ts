import type { PlanCondition } from "../node-plan/node-plan.js";

interface Support {
  readonly reason: string;
  readonly module: string;
  readonly option: string;
  readonly name: string;
}

const kinds: Readonly<Record<string, Support>> = {
  vlan: { reason: "VlanNotSupported", module: "8021q", option: "CONFIG_VLAN_8021Q", name: "VLAN (IEEE 802.1Q)" },
  vxlan: { reason: "VxlanNotSupported", module: "vxlan", option: "CONFIG_VXLAN", name: "VXLAN" },
  bridge: { reason: "BridgeNotSupported", module: "bridge", option: "CONFIG_BRIDGE", name: "bridges" },
};

/**
 * What a failed creation of an interface says about the kernel. The kernel loads the module of a kind by itself when it finds
 * one (request_module "rtnl-link-KIND" in rtnl_newlink), so the answer "Unknown device type" (measured) means that there is none,
 * or that modules may not be loaded.
 *
 * @param errors each a command and why it failed
 */
export function unsupportedKinds(errors: readonly string[]): readonly PlanCondition[] {
  return errors.flatMap((error) => {
    const kind = /^ip link add .* type (\w+)\b.*: .*Unknown device type/.exec(error)?.[1] ?? "";
    const support = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    return support === undefined ? [] : [notSupported(support)];
  });
}

function notSupported({ reason, module, option, name }: Support): PlanCondition {
  return {
    reason,
    message:
      `the kernel of this node has no ${name}: load it with: modprobe ${module} (and name it in /etc/modules-load.d), or boot ` +
      `a kernel with ${option}; or keep the network off this node with nodeSelector`,
  };
}
