import { kubernetes, type NodeName } from "../topology.js";
import { nodeFiles } from "./node-files.js";

/** Where Debian's containernetworking-plugins puts its programs. */
const CNI_PLUGINS = "/usr/lib/cni";

/** An Ethernet frame's; the underlay takes more. */
const POD_MTU = 1500;

/** What needs kernel features or services that the machine may lack, and what would make folders in the machine's /opt. */
const DISABLED_PLUGINS = [
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing",
  "io.containerd.internal.v1.opt",
];

const CRI = "io.containerd.grpc.v1.cri";

/** The configuration of a containerd that only keeps images, with all its files in `root` and `state`. */
export function imageKeeperConfiguration(root: string, state: string, socket: string): string {
  return commonConfiguration(root, state, socket, [...DISABLED_PLUGINS, CRI]);
}

/**
 * The configuration of a node's containerd, format version 2 (containerd 1.6 and later).
 *
 * @param pauseImage reference of the image that holds a pod's namespaces
 */
export function containerdConfiguration(pauseImage: string): string {
  const cri = `plugins."${CRI}"`;
  const common = commonConfiguration(
    "/var/lib/containerd",
    "/run/containerd",
    nodeFiles.containerdSocket,
    DISABLED_PLUGINS,
  );
  return `${common}
[${cri}]
  sandbox_image = "${pauseImage}"
  # Profiles belong to the machine's kernel, not to a node.
  disable_apparmor = true
  disable_hugetlb_controller = true
  tolerate_missing_hugetlb_controller = true
  # A lab inside a container may not lower oom_score_adj below its own.
  restrict_oom_score_adj = true

[${cri}.cni]
  bin_dir = "${CNI_PLUGINS}"
  conf_dir = "${nodeFiles.cniFolder}"

[${cri}.containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"

[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[${cri}.containerd.runtimes.runc.options]
  SystemdCgroup = false
`;
}

function commonConfiguration(root: string, state: string, socket: string, disabled: readonly string[]): string {
  return `version = 2
root = "${root}"
state = "${state}"
disabled_plugins = ${JSON.stringify(disabled)}

[grpc]
  address = "${socket}"
`;
}

/**
 * The pod network of a node: a routed link to each pod. On a bridge, the reply of a Service's endpoint to a pod on the same
 * node would not pass the node's IP layer, where the Service's address is put back, unless br_netfilter is loaded.
 */
export function cniConfiguration(node: NodeName): string {
  return `${JSON.stringify(
    {
      cniVersion: "0.4.0",
      name: "pods",
      plugins: [
        {
          type: "ptp",
          mtu: POD_MTU,
          ipam: {
            type: "host-local",
            // Leases are forgotten at power-off, like the pods that held them.
            dataDir: "/run/cni-leases",
            ranges: [[{ subnet: kubernetes.podCidrs[node] }]],
            routes: [{ dst: "0.0.0.0/0" }],
          },
        },
        { type: "portmap", capabilities: { portMappings: true } },
      ],
    },
    undefined,
    2,
  )}\n`;
}
