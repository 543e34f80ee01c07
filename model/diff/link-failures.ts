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
 * What failed creations of interfaces say about the node, where trying again does not help.
 *
 * @param errors each a command and why it failed
 */
export function linkFailures(errors: readonly string[]): readonly PlanCondition[] {
  return errors.flatMap((error) => {
    const kind = /^ip link add .* type (\w+)\b/.exec(error)?.[1] ?? "";
    const support = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    // The kernel loads the module of a kind by itself where there is one (rtnl_newlink asks for rtnl-link-KIND).
    if (support !== undefined && error.includes("Unknown device type")) return [notSupported(support)];
    // An interface keeps the sockets of the namespace in which it was made (IFLA_LINK_NETNSID), so it is in the way from anywhere.
    if (error.includes("A VXLAN device with the specified VNI already exists")) return [segmentElsewhere(error)];
    return [];
  });
}

function segmentElsewhere(command: string): PlanCondition {
  const [, vni = "", port = ""] = /type vxlan id (\d+) .*dstport (\d+)/.exec(command) ?? [];
  return {
    reason: "SegmentElsewhere",
    message:
      `VNI ${vni} on port ${port} belongs to an interface that was made here and moved into another network namespace; ` +
      `find it with: ip -all netns exec ip -d link show type vxlan, and delete it there`,
  };
}

function notSupported({ reason, module, option, name }: Support): PlanCondition {
  return {
    reason,
    message:
      `the kernel of this node has no ${name}: load it with: modprobe ${module} (and name it in /etc/modules-load.d), or boot ` +
      `a kernel with ${option}; or keep the network off this node with nodeSelector`,
  };
}
