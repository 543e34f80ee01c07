import type { PublicNetworkObject, RouterNodeObject, VlanRouterObject } from "../../model/index.js";
import type { ClusterNode, IpAddressPool, KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { metallbVersion } from "./address-pool.js";

/** What a cluster already has, as far as a new network may meet it. */
export interface ClusterFacts {
  readonly networks: readonly PublicNetworkObject[];
  readonly router: VlanRouterObject | undefined;
  readonly nodes: readonly ClusterNode[];
  readonly routerNodes: readonly RouterNodeObject[];
  /** Kinds of MetalLB's API that it serves. */
  readonly metallbKinds: readonly string[];
  readonly addressPools: readonly IpAddressPool[];
}

/** Asks a cluster for its facts; networks that are checked at the same time share the answers. */
export async function clusterFacts(client: KubernetesClient): Promise<ClusterFacts> {
  const [networks, router, nodes, routerNodes, metallbKinds, addressPools] = await Promise.all([
    client.publicNetworks(),
    client.vlanRouter(),
    client.nodes(),
    client.routerNodes(),
    client.kinds(metallbVersion),
    client.addressPools(),
  ]);
  return { networks, router, nodes, routerNodes, metallbKinds, addressPools };
}
