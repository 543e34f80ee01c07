/** Inside the lab's mount namespace: stands when the holder has done its work. */
export const readyMarker = "/run/vlan-router-lab";

/**
 * The program of the lab's PID 1. It gives the lab its own /run, so that names of network namespaces, sockets and pid files
 * cannot meet those of the machine, and then only reaps what loses its parent: a shell in `wait` takes every child that
 * ends, adopted ones too.
 *
 * /run/netns is a shared mount of its own because `ip netns add` makes it one and would otherwise make all of /run
 * propagate into the mount namespaces below.
 */
export const holderScript = `set -e
mount -t tmpfs -o mode=755 lab-run /run
mkdir -p /run/netns /run/lock
mount -t tmpfs -o mode=755 lab-netns /run/netns
mount --make-shared /run/netns
ip link set lo up
touch ${readyMarker}
set +e
while :; do sleep 86400 & wait; done
`;
