/**
 * Pulumi's Kubernetes provider is replaced, and every object with it, when its `clusterIdentifier` changes, and for nothing else.
 * Without one it is replaced when the kubeconfig's entry of the cluster changes, for an address, a certificate or an option: then
 * the engine writes the objects, which are there, and deletes "the originals", which are the same (pulumi/pulumi-kubernetes
 * DiffConfig). So it is the same for every cluster: whether another one answers, our own resources find out by its uid, and
 * refuse it.
 */
export const clusterIdentifier = "vlan-router";
