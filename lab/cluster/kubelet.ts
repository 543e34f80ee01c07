import { type NodeName, underlay } from "../topology.js";
import { nodeFiles } from "./node-files.js";

/** The kubelet's configuration (kubelet.config.k8s.io/v1beta1) as JSON, which it reads as YAML. */
export function kubeletConfiguration(): string {
  return `${JSON.stringify(
    {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: false },
        x509: { clientCAFile: nodeFiles.authority },
      },
      // Only the API server has a certificate that gets here.
      authorization: { mode: "AlwaysAllow" },
      containerRuntimeEndpoint: `unix://${nodeFiles.containerdSocket}`,
      tlsCertFile: nodeFiles.kubeletCertificate,
      tlsPrivateKeyFile: nodeFiles.kubeletKey,
      // Since 1.35 it refuses cgroup v1 unless told otherwise.
      failCgroupV1: false,
      // No systemd inside a node.
      cgroupDriver: "cgroupfs",
      cgroupsPerQOS: true,
      // Limits on the node's own cgroup would limit kubelet and containerd themselves, which live in it.
      enforceNodeAllocatable: [],
      failSwapOn: false,
      // No DNS outside the lab; the default would copy the machine's servers into every pod.
      resolvConf: "",
      // Images cannot be fetched again, so they are never collected; all nodes share the machine's disk.
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
      evictionHard: {
        "memory.available": "50Mi",
        "nodefs.available": "1%",
        "imagefs.available": "1%",
        "nodefs.inodesFree": "1%",
      },
      // Faster than the defaults (10 s, 5 m, 1 m): tests wait for what these make visible. Pods see a changed Secret only at
      // their next sync, and MetalLB's controller starts with one that it changes itself.
      nodeStatusUpdateFrequency: "4s",
      nodeStatusReportFrequency: "1m",
      syncFrequency: "2s",
      volumePluginDir: "/var/lib/kubelet/volume-plugins",
      logging: { verbosity: 2 },
    },
    undefined,
    2,
  )}\n`;
}

export function kubeletArguments(node: NodeName): readonly string[] {
  return [
    `--config=${nodeFiles.kubeletConfiguration}`,
    `--kubeconfig=${nodeFiles.kubeletKubeconfig}`,
    `--hostname-override=${node}`,
    `--node-ip=${underlay.nodes[node]}`,
  ];
}
