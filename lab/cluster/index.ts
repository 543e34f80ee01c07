export { type ClusterOptions, clusterDown, clusterUp, startNode, stopNode } from "./cluster.js";
export type { KubeProxyMode } from "./kube-proxy.js";
export { type KubernetesObject, kubectl, kubectlApply, kubectlGet, waitForRollout } from "./kubectl.js";
export { kubernetesUp } from "./kubernetes.js";
export { loadImage } from "./load-image.js";
export { announcingNode, evictSpeaker, metallbUp, restoreSpeaker } from "./metallb.js";
export { metallbNamespace } from "./metallb-objects.js";
export { workloadUp } from "./workload.js";
