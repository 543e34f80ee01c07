#!/usr/bin/env bash
# Proves that a command works from nothing: a new Debian root that holds root, Go, Node and npm and nothing else, an empty home
# folder and cache, and a clean clone of this checkout (committed work only).
#
#   tests/fresh/run.sh [--keep] [--root FOLDER] [COMMAND...]       default COMMAND: npm test
#
# --root FOLDER  use (or make) the root there instead of a temporary one; it is kept, home folder and cache too
# --keep         do not remove a temporary root
#
# The root has its own mount, PID, UTS and IPC namespaces and shares the network and the kernel of this machine, as well as its
# ways to the package registries, which are copied from it now and never stored. Needs root and debootstrap.
set -euo pipefail

SUITE=bookworm
MIRROR=http://deb.debian.org/debian
checkout=$(cd "$(dirname "$0")/../.." && pwd)

die() { echo "fresh root: $*" >&2; exit 1; }
say() { printf 'fresh root: [%4ds] %s\n' "$SECONDS" "$*" >&2; }

keep=no root=
while [[ $# -gt 0 ]]; do
  case $1 in
    --keep) keep=yes; shift ;;
    --root) [[ $# -gt 1 ]] || die "--root needs a folder"; root=$2; keep=yes; shift 2 ;;
    --) shift; break ;;
    -*) die "unknown option $1: see the head of $0" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || set -- npm test

[[ $EUID -eq 0 ]] || die "needs root: it makes a root file system and enters it"
for program in debootstrap go node npm git pivot_root unshare; do
  command -v "$program" >/dev/null || die "$program is missing on this machine"
done

[[ -n $root ]] || root=$(mktemp -d /var/tmp/vlan-router-fresh.XXXXXX)
mkdir -p "$root"
root=$(cd "$root" && pwd)
# The mounts live in a namespace that has ended by then; --one-file-system is the second lock on the door.
[[ $keep = yes ]] || trap 'rm -rf --one-file-system "$root"' EXIT

# Copies a file or folder of this machine to the same place in the root.
carry() {
  [[ -e $1 ]] || return 0
  mkdir -p "$root$(dirname "$1")"
  cp -aL "$1" "$root$(dirname "$1")/"
}

if [[ ! -e $root/etc/debian_version ]]; then
  say "making a minimal Debian $SUITE in $root"
  debootstrap --variant=minbase "$SUITE" "$root" "$MIRROR" >"$root.log" 2>&1 || die "debootstrap failed, see $root.log"
  rm -f "$root.log"
  cat >"$root/etc/apt/sources.list" <<SOURCES
deb $MIRROR $SUITE main
deb $MIRROR $SUITE-updates main
deb $MIRROR-security $SUITE-security main
SOURCES
fi

# How this machine reaches the registries: name service, certificates, the clients' own settings.
rm -f "$root/etc/resolv.conf"
carry /etc/resolv.conf
carry /etc/hosts
carry /usr/local/share/ca-certificates
mkdir -p "$root/root"
for settings in "$HOME/.npmrc" "$(npm config get globalconfig)" "$(go env GOENV)"; do
  [[ -f $settings ]] || continue
  place=$root${settings/#$HOME//root}
  mkdir -p "$(dirname "$place")"
  cp -L "$settings" "$place"
done
passed=()
while IFS='=' read -r -d '' name value; do
  case $name in
    SSL_CERT_* | *_CA_BUNDLE | *_EXTRA_CA_CERTS | GOPROXY | GOSUMDB | GONOSUMDB | GOFLAGS | GOTOOLCHAIN | *_proxy | *_PROXY | CI | TERM) ;;
    *) continue ;;
  esac
  passed+=("$name=$value")
  # A bundle of certificates must be there before ca-certificates is installed; that package makes it anew.
  [[ $value != /* || ! -f $value ]] || carry "$value"
done < <(env -0)

clone=/root/pulumi-vlan-router
if [[ ! -e $root$clone ]]; then
  say "cloning $(git -C "$checkout" rev-parse --short HEAD)"
  git clone --quiet --no-hardlinks "$checkout" "$root$clone"
fi

# Runs as the first process of the new namespaces.
enter() {
  local root=$1 go_root=$2 node=$3 npm_folder=$4; shift 4
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mkdir -p "$root"/usr/local/{go,bin,lib/node_modules/npm} "$root/.outside"
  mount --bind -o ro "$go_root" "$root/usr/local/go"
  : >>"$root/usr/local/bin/node"
  mount --bind -o ro "$node" "$root/usr/local/bin/node"
  mount --bind -o ro "$npm_folder" "$root/usr/local/lib/node_modules/npm"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  # The modules belong to the kernel, not to the system that runs on it.
  if [[ -d /lib/modules ]]; then
    mkdir -p "$root/lib/modules"
    mount --bind -o ro /lib/modules "$root/lib/modules"
  fi
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  mount -t tmpfs tmpfs "$root/tmp"
  cd "$root"
  # A real change of root, not chroot: container runtimes and virtiofsd pivot again from there.
  pivot_root . .outside
  umount --lazy /.outside
  hostname fresh
  cd /root/pulumi-vlan-router
  # Not exec: this shell stays the first process and reaps what others leave to it, as init does on a machine. A lab cannot end
  # while one of its processes waits to be reaped (pid_namespaces(7)).
  env -i HOME=/root USER=root LANG=C.UTF-8 \
    PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@" || exit $?
}
export -f enter

say "entering: $*"
status=0
unshare --mount --pid --uts --ipc --fork --kill-child \
  bash -euc 'enter "$@"' enter "$root" "$(go env GOROOT)" "$(readlink -f "$(command -v node)")" \
  "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "${passed[@]}" "$@" || status=$?
say "ended with $status"
exit "$status"
