import type { Cni, ManagedFields, PublicNetworkObject, RouterNodeObject, VlanRouterObject } from "../../model/index.js";

/** What the provider needs of a Kubernetes node. */
export interface ClusterNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Condition `Ready` is `True`. */
  readonly ready: boolean;
  /** `spec.podCIDRs`; empty where the CNI allots addresses itself. */
  readonly podNetworks: readonly string[];
  /** The CNI, where it says of itself that it runs on the node. */
  readonly cni?: Cni;
}

/** A pod of a namespace that is being deleted, on the node that has to confirm its end. */
export interface EndingPod {
  readonly name: string;
  readonly uid: string;
  /** Absent while no node was chosen. */
  readonly node?: string;
}

/** As much of MetalLB's IPAddressPool as a new pool may meet. */
export interface IpAddressPool {
  readonly name: string;
  readonly namespace: string;
  readonly addresses: readonly string[];
  /** The owner annotation, on pools that this package made. */
  readonly owner?: string;
}

/**
 * The provider's view of one cluster. Every method throws a `KubernetesError`; an object or a kind that is not there is
 * `undefined` or an empty list.
 */
export interface KubernetesClient {
  /** The uid of the namespace kube-system: Kubernetes has no other name for a cluster that survives a new address. */
  clusterUid(): Promise<string>;
  nodes(): Promise<readonly ClusterNode[]>;
  vlanRouter(): Promise<VlanRouterObject | undefined>;
  routerNodes(): Promise<readonly RouterNodeObject[]>;
  publicNetworks(): Promise<readonly PublicNetworkObject[]>;
  publicNetwork(name: string): Promise<PublicNetworkObject | undefined>;
  /** Kinds that the API server has in a version of a group, such as `metallb.io/v1beta1`. */
  kinds(groupVersion: string): Promise<readonly string[]>;
  /** MetalLB's pools in all namespaces; none where it is not installed. */
  addressPools(): Promise<readonly IpAddressPool[]>;
  /**
   * Server-side apply: a field of another manager is a `conflict`.
   * @param takenBack version of the object whose fields are taken back from other managers; a `conflict` when it has another
   */
  applyPublicNetwork(object: PublicNetworkObject, takenBack?: string): Promise<PublicNetworkObject>;
  /** Replaces the managers of an object's fields; a `conflict` when somebody wrote it since it was read. */
  setFieldManagers(object: PublicNetworkObject, managers: readonly ManagedFields[]): Promise<PublicNetworkObject>;
  /**
   * Removes fields of the VlanRouter object, such as `spec.cni`; a `conflict` when somebody wrote it since it was read. Each may be
   * absent, so that the object fits its definition at every moment.
   */
  removeRouterFields(router: VlanRouterObject, fields: readonly string[]): Promise<void>;
  /** Deletes the object only while it still has this uid; one that is gone is no error. */
  deletePublicNetwork(name: string, uid: string): Promise<void>;
  /** As `deletePublicNetwork`. */
  deleteRouterNode(name: string, uid: string): Promise<void>;
  /** What is left in a namespace that is being deleted; `undefined` when it has gone, or nobody deletes it. */
  endingPods(namespace: string): Promise<readonly EndingPod[] | undefined>;
  /** Deletes a pod without waiting for its kubelet; as `deletePublicNetwork`. */
  forgetPod(namespace: string, pod: EndingPod): Promise<void>;
}
