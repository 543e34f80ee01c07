#!/bin/sh
# PID 1 of a node: makes the namespaces that `unshare` gave it look like a machine of its own, then becomes REAPER.
#
#   node-init.sh NODE STORAGE REAPER CGROUP...
#
# STORAGE  folder of the node, with `boot` (the first files of /run), `var-lib` and `var-log`, which outlive a power-off
# REAPER   program that waits for children whose parents have ended
# CGROUP   mount options of each cgroup v1 hierarchy ("cpu,cpuacct", "none,name=systemd"), or the one word "cgroup2"
set -eu
node=$1 storage=$2 reaper=$3
shift 3

hostname "$node"

# Sockets, pid files and names of network namespaces of three nodes must not meet each other or the machine's.
run=$storage/run
mkdir -p "$run"
mount -t tmpfs -o mode=755 node-run "$run"
cp -R "$storage/boot/." "$run/"
mkdir -p "$run/lock" "$run/netns"

# The kubelet writes these sysctls, which belong to the whole machine (kubernetes/kubernetes,
# pkg/kubelet/cm/container_manager_linux.go, setupKernelTunables). It finds files that already say what it wants.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  name=${setting%%=*}
  mkdir -p "$run/sysctl/${name%/*}"
  echo "${setting#*=}" >"$run/sysctl/$name"
  mount --bind "$run/sysctl/$name" "/proc/sys/$name"
done

# /sys/class/net shows the network namespace in which it was mounted (sysfs(5)).
mount -t sysfs node-sys /sys

# The hierarchies once more: inside the cgroup namespace their root is the node's own cgroup.
if [ "$*" = cgroup2 ]; then
  mount -t cgroup2 node-cgroup /sys/fs/cgroup
  # Only a cgroup without processes can hand controllers to its children (cgroups(7), "no internal processes"), so what the
  # node itself runs lives in a child.
  mkdir -p /sys/fs/cgroup/system
  echo $$ >/sys/fs/cgroup/system/cgroup.procs
  for controller in $(cat /sys/fs/cgroup/cgroup.controllers); do
    echo "+$controller" >/sys/fs/cgroup/cgroup.subtree_control
  done
else
  mount -t tmpfs -o mode=755 node-cgroup /sys/fs/cgroup
  for options in "$@"; do
    folder=${options#*name=}
    mkdir "/sys/fs/cgroup/$folder"
    mount -t cgroup -o "$options" node-cgroup "/sys/fs/cgroup/$folder"
    # Hierarchies of several controllers are looked for under each one's name too.
    echo "$folder" | tr , '\n' | while read -r controller; do
      [ -e "/sys/fs/cgroup/$controller" ] || ln -s "$folder" "/sys/fs/cgroup/$controller"
    done
  done
fi

# Last, because they hide what the machine has there.
mount --bind "$storage/var-lib" /var/lib
mount --bind "$storage/var-log" /var/log
# Without mount(8)'s own table, which it keeps in the /run that moves away.
mount --no-mtab --move "$run" /run
# A new peer group: mounts that the kubelet makes for containers spread inside the node and no further.
mount --make-rshared /
touch /run/node/up
exec "$reaper"
