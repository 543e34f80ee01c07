import type { PublicNetworkObject } from "../../model/index.js";
import type { KubernetesClient } from "../kubernetes/kubernetes-client.js";
import { expectedNetwork } from "./expected-network.js";
import { type ClusterSnapshot, type ExpectedNetwork, type NetworkLacks, networkLacks } from "./network-lacks.js";

/** One network as the cluster shows it at one moment. */
export type ClusterView =
  | { readonly kind: "absent" }
  /** Without the VlanRouter nobody can say which revision the nodes should carry. */
  | { readonly kind: "noRouter"; readonly object: PublicNetworkObject }
  | {
      readonly kind: "present";
      readonly object: PublicNetworkObject;
      readonly expected: ExpectedNetwork;
      readonly snapshot: ClusterSnapshot;
      readonly found: NetworkLacks;
    };

/**
 * Looks at a network and at what the nodes report of it.
 * @param graceMs how long a session of this network may be out before it counts
 */
export async function clusterView(
  client: KubernetesClient,
  name: string,
  now: number,
  graceMs: (expected: ExpectedNetwork) => number,
): Promise<ClusterView> {
  const [object, router, nodes, routerNodes] = await Promise.all([
    client.publicNetwork(name),
    client.vlanRouter(),
    client.nodes(),
    client.routerNodes(),
  ]);
  if (object === undefined) return { kind: "absent" };
  if (router === undefined) return { kind: "noRouter", object };
  const expected = expectedNetwork(object, router);
  const snapshot = { nodes, routerNodes, now };
  return { kind: "present", object, expected, snapshot, found: networkLacks(expected, snapshot, graceMs(expected)) };
}
