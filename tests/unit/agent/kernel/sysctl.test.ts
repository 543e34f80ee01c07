import assert from "node:assert/strict";
import { test } from "node:test";
import { sysctlPath } from "../../../../agent-image/agent/kernel/sysctl.js";

test("the path of a parameter; a dot inside an interface's name is written as a slash", () => {
  assert.equal(
    sysctlPath("/host/proc/sys", "net.ipv4.conf.vxlan228.rp_filter"),
    "/host/proc/sys/net/ipv4/conf/vxlan228/rp_filter",
  );
  assert.equal(
    sysctlPath("/proc/sys", "net.ipv6.conf.eth0/100.accept_ra"),
    "/proc/sys/net/ipv6/conf/eth0.100/accept_ra",
  );
});
