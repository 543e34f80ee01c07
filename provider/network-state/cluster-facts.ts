import type { PublicNetworkObject, RouterNodeObject, VlanRouterObject } from "../../model/index.js";
import type { ClusterNode, IpAddressPool, KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { metallbVersion } from "./address-pool.js";

/** What a cluster already has, as far as a new network may meet it. */
export interface ClusterFacts {
  readonly networks: readonly PublicNetworkObject[];
  readonly router: VlanRouterObject | undefined;
  readonly nodes: readonly ClusterNode[];
  readonly routerNodes: readonly RouterNodeObject[];
  /** Kinds of MetalLB's API that it serves; it is asked for them and for the pools only where the network wants a pool. */
  readonly metallbKinds: readonly string[];
  readonly addressPools: readonly IpAddressPool[];
}

/**
 * Asks a cluster for its facts; networks that are checked at the same time share the answers.
 * @param pooled whether the network wants a pool: without one it needs nothing of MetalLB's, so its credentials need not read it
 */
export async function clusterFacts(client: KubernetesClient, pooled: boolean): Promise<ClusterFacts> {
  const [networks, router, nodes, routerNodes, metallbKinds, addressPools] = await Promise.all([
    client.publicNetworks(),
    client.vlanRouter(),
    client.nodes(),
    client.routerNodes(),
    pooled ? client.kinds(metallbVersion) : [],
    pooled ? client.addressPools() : [],
  ]);
  return { networks, router, nodes, routerNodes, metallbKinds, addressPools };
}
