import type { NodeName } from "../topology.js";
import type { ClusterKeys } from "./certificates.js";
import { cniConfiguration, containerdConfiguration } from "./container-runtime.js";
import { apiServer } from "./endpoints.js";
import { type KubeProxyMode, kubeProxyConfiguration } from "./kube-proxy.js";
import { kubeconfig } from "./kubeconfig.js";
import { kubeletConfiguration } from "./kubelet.js";
import { nodeFiles } from "./node-files.js";

export interface BootParameters {
  readonly node: NodeName;
  readonly keys: ClusterKeys;
  /** Reference of the image that holds a pod's namespaces. */
  readonly pauseImage: string;
  readonly kubeProxyMode: KubeProxyMode;
}

/** The files that a node finds when it is switched on, by their path in the node. */
export function bootFiles({ node, keys, pauseImage, kubeProxyMode }: BootParameters): Readonly<Record<string, string>> {
  const { certificate, key } = keys.pair(`kubelet-${node}`);
  return {
    [nodeFiles.authority]: keys.authority,
    [nodeFiles.kubeletCertificate]: certificate,
    [nodeFiles.kubeletKey]: key,
    [nodeFiles.kubeletKubeconfig]: kubeconfig(`node-${node}`, apiServer.fromNodes, keys),
    [nodeFiles.kubeletConfiguration]: kubeletConfiguration(),
    [nodeFiles.kubeProxyKubeconfig]: kubeconfig("kube-proxy", apiServer.fromNodes, keys),
    [nodeFiles.kubeProxyConfiguration]: kubeProxyConfiguration(node, kubeProxyMode),
    [nodeFiles.containerdConfiguration]: containerdConfiguration(pauseImage),
    [nodeFiles.cniConfiguration]: cniConfiguration(node),
  };
}
