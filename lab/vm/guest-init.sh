#!/bin/busybox sh
# PID 1 of the virtual machine. First inside the initramfs: make the machine's root (read-only, over virtiofs) with a
# tmpfs above it the root of the guest, and become PID 1 there. Then, called with `run`: run the job, hand its exit code
# to the machine, power off. A failure on the way ends PID 1; the kernel panics and QEMU exits.
set -eu
tools=/run/vm/busybox

boot() {
  /bin/busybox --install -s /bin
  export PATH=/bin
  mount -t proc proc /proc
  mount -t sysfs sysfs /sys
  mount -t devtmpfs devtmpfs /dev
  exec >/dev/console 2>&1
  while read -r module; do insmod "/modules/$module"; done </modules/order

  mount -t virtiofs -o ro machine /lower
  mount -t tmpfs -o size=75% tmpfs /writes
  mkdir /writes/upper /writes/work
  mount -t overlay -o lowerdir=/lower,upperdir=/writes/upper,workdir=/writes/work overlay /new

  for directory in proc sys dev; do mount -o move "/$directory" "/new/$directory"; done
  mkdir -p /new/dev/pts /new/dev/shm
  mount -t devpts devpts /new/dev/pts
  mount -t tmpfs tmpfs /new/dev/shm
  mount -t tmpfs tmpfs /new/run
  mkdir -p /new/run/vm /new/run/lock /new/run/netns
  cp /bin/busybox /init /new/run/vm/

  # PID 1 itself changes root: it shares its root with the kernel threads that call modprobe, so modules load on demand.
  exec switch_root /new /run/vm/busybox sh /run/vm/init run
}

port() {
  for entry in /sys/class/virtio-ports/*; do
    if [ "$($tools cat "$entry/name")" = "$1" ]; then
      echo "/dev/${entry##*/}"
      return
    fi
  done
  echo "no virtio port named $1" >&2
  return 1
}

run() {
  exec </dev/null >/dev/console 2>&1
  $tools hostname vm
  $tools ip link set lo up
  stdout=$(port stdout)
  stderr=$(port stderr)
  code_port=$(port code)
  job=$($tools sed -n 's/.*vm\.job=\([^ ]*\).*/\1/p' /proc/cmdline | $tools base64 -d)
  export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  code=0
  /bin/sh "$job" >"$stdout" 2>"$stderr" || code=$?
  echo "$code" >"$code_port"
  $tools poweroff -f
}

case "${1:-}" in
run) run ;;
*) boot ;;
esac
