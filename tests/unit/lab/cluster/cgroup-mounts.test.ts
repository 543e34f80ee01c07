import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCgroupMounts } from "../../../../lab/cluster/cgroup-mounts.js";

test("cgroup v1 with one hierarchy for each controller, and a cgroup2 mount beside it", () => {
  const mounts = `proc /proc proc rw,relatime 0 0
tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0
cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0
cgroup /sys/fs/cgroup/cpuacct cgroup rw,relatime,cpuacct 0 0
cgroup /sys/fs/cgroup/cpuset cgroup rw,relatime,cpuset 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup /sys/fs/cgroup/devices cgroup rw,relatime,devices 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0
cgroup /sys/fs/cgroup/systemd cgroup rw,relatime,name=systemd 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
`;
  assert.deepEqual(parseCgroupMounts(mounts), {
    kind: "v1",
    hierarchies: [
      { path: "/sys/fs/cgroup/cpu", options: "cpu" },
      { path: "/sys/fs/cgroup/cpuacct", options: "cpuacct" },
      { path: "/sys/fs/cgroup/cpuset", options: "cpuset" },
      { path: "/sys/fs/cgroup/memory", options: "memory" },
      { path: "/sys/fs/cgroup/devices", options: "devices" },
      { path: "/sys/fs/cgroup/pids", options: "pids" },
      { path: "/sys/fs/cgroup/systemd", options: "none,name=systemd" },
    ],
  });
});

test("cgroup v1 as systemd mounts it: controllers that share a hierarchy, its own agent", () => {
  const flags = "rw,nosuid,nodev,noexec,relatime";
  const mounts = `cgroup2 /sys/fs/cgroup/unified cgroup2 ${flags},nsdelegate 0 0
cgroup /sys/fs/cgroup/systemd cgroup ${flags},xattr,release_agent=/lib/systemd/systemd-cgroups-agent,name=systemd 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup ${flags},cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/cpuset cgroup ${flags},cpuset 0 0
cgroup /sys/fs/cgroup/memory cgroup ${flags},memory 0 0
cgroup /sys/fs/cgroup/devices cgroup ${flags},devices 0 0
cgroup /sys/fs/cgroup/pids cgroup ${flags},pids 0 0
`;
  const parsed = parseCgroupMounts(mounts);
  assert.ok(parsed.kind === "v1");
  assert.deepEqual(
    parsed.hierarchies.map(({ options }) => options),
    ["none,name=systemd", "cpu,cpuacct", "cpuset", "memory", "devices", "pids"],
  );
});

test("cgroup v2 alone, as Debian 12 mounts it", () => {
  const mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate,memory_recursiveprot 0 0\n";
  assert.deepEqual(parseCgroupMounts(mounts), { kind: "v2", path: "/sys/fs/cgroup" });
});

test("a machine without cgroups is refused with what to do", () => {
  assert.throws(() => parseCgroupMounts("proc /proc proc rw 0 0\n"), /cpu, cpuacct, .*run the lab where cgroups/);
});

test("a missing controller is named", () => {
  const mounts = ["cpu,cpuacct", "cpuset", "devices", "pids"]
    .map((name) => `cgroup /sys/fs/cgroup/${name} cgroup rw,${name} 0 0\n`)
    .join("");
  assert.throws(() => parseCgroupMounts(mounts), /has the controllers memory,/);
});
