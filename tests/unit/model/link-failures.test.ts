import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { linkFailures } from "../../../model/index.js";

describe("a creation that fails", () => {
  /** Written by iproute2 6.1 on a kernel without 802.1Q. */
  const failure =
    "ip link add link bond0 name vlan220 mtu 1500 group 118118118 type vlan id 220: Error: Unknown device type.";

  test("is told by the failed command, with the module and the kernel's option", () => {
    assert.deepEqual(linkFailures([failure]), [
      {
        reason: "VlanNotSupported",
        message:
          "the kernel of this node has no VLAN (IEEE 802.1Q): load it with: modprobe 8021q (and name it in " +
          "/etc/modules-load.d), or boot a kernel with CONFIG_VLAN_8021Q; or keep the network off this node with " +
          "nodeSelector",
      },
    ]);
    assert.equal(linkFailures([failure.replaceAll("vlan", "bridge")])[0]?.reason, "BridgeNotSupported");
  });

  test("a VXLAN interface in another network namespace is told, with where to look", () => {
    // Written by iproute2 6.1 on Linux 6.18, after `ip link set vxlan228 netns elsewhere`.
    const failed =
      "ip link add name vxlan228 address 16:08:26:b3:ea:e1 mtu 1550 group 118118118 type vxlan id 228 local 10.0.7.5 dstport 4789 " +
      "learning: Error: A VXLAN device with the specified VNI already exists.";
    assert.deepEqual(linkFailures([failed]), [
      {
        reason: "SegmentElsewhere",
        message:
          "VNI 228 on port 4789 belongs to an interface that was made here and moved into another network namespace; " +
          "find it with: ip -all netns exec ip -d link show type vxlan, and delete it there",
      },
    ]);
  });

  test("other failures say nothing of it", () => {
    assert.deepEqual(
      linkFailures([
        "ip link add link bond0 name vlan220 mtu 9001 group 118118118 type vlan id 220: RTNETLINK answers: Numerical result out of range",
        "ip link set dev vlan220 up: RTNETLINK answers: Network is down",
      ]),
      [],
    );
  });
});
