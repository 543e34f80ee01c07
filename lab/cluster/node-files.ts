/**
 * Where a node finds its own files: in /run, a tmpfs that is filled anew at each power-on. The machine's /etc stays as it is.
 */
const folder = "/run/node";

export const nodeFiles = {
  folder,
  /** Made by the node's init when it is through. */
  up: `${folder}/up`,
  authority: `${folder}/ca.crt`,
  kubeletCertificate: `${folder}/kubelet.crt`,
  kubeletKey: `${folder}/kubelet.key`,
  kubeletKubeconfig: `${folder}/kubelet.kubeconfig`,
  kubeletConfiguration: `${folder}/kubelet.json`,
  kubeProxyKubeconfig: `${folder}/kube-proxy.kubeconfig`,
  kubeProxyConfiguration: `${folder}/kube-proxy.json`,
  containerdConfiguration: `${folder}/containerd.toml`,
  cniFolder: `${folder}/cni`,
  cniConfiguration: `${folder}/cni/10-pods.conflist`,
  containerdSocket: "/run/containerd/containerd.sock",
} as const;

/** Folders that show a node's own files, not the machine's: nothing that a node needs of the machine may lie there. */
export const nodeOwnFolders = ["/run", "/var/lib", "/var/log"] as const;
