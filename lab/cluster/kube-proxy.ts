import { kubernetes, type NodeName } from "../topology.js";
import { nodeFiles } from "./node-files.js";

/** No `ipvs`: kernels without its module are common, and upstream has deprecated the mode. */
export type KubeProxyMode = "nftables" | "iptables";

/** kube-proxy's configuration (kubeproxy.config.k8s.io/v1alpha1) as JSON, which it reads as YAML. */
export function kubeProxyConfiguration(node: NodeName, mode: KubeProxyMode): string {
  // Changes at once, for tests that wait for them.
  const sync = { minSyncPeriod: "0s", syncPeriod: "30s" };
  return `${JSON.stringify(
    {
      apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
      kind: "KubeProxyConfiguration",
      mode,
      clusterCIDR: kubernetes.podCidr,
      hostnameOverride: node,
      clientConnection: { kubeconfig: nodeFiles.kubeProxyKubeconfig },
      // 0 leaves each conntrack sysctl as it is: they belong to the machine and are read-only in a namespace.
      conntrack: {
        maxPerCore: 0,
        min: 0,
        tcpEstablishedTimeout: "0s",
        tcpCloseWaitTimeout: "0s",
        udpTimeout: "0s",
        udpStreamTimeout: "0s",
      },
      healthzBindAddress: "0.0.0.0:10256",
      metricsBindAddress: "127.0.0.1:10249",
      [mode]: sync,
    },
    undefined,
    2,
  )}\n`;
}

export function kubeProxyArguments(): readonly string[] {
  return [`--config=${nodeFiles.kubeProxyConfiguration}`];
}
