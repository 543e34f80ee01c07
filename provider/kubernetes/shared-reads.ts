import type { KubernetesClient } from "./kubernetes-client.js";

/**
 * The resources of one program look at the cluster at the same time, and most of what each reads is the same for all: those
 * that ask while an answer is on its way share it. Nothing is kept, so an answer is as old as its request at most. What one
 * network alone reads is not shared: its writer must see what it wrote.
 */
export function sharingReads(client: KubernetesClient): KubernetesClient {
  const underway = new Map<string, Promise<unknown>>();
  function shared<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = underway.get(question);
    if (asked !== undefined) return asked as Promise<T>;
    const answer = ask().finally(() => underway.delete(question));
    underway.set(question, answer);
    return answer;
  }
  return {
    ...client,
    clusterUid: () => shared("clusterUid", client.clusterUid),
    nodes: () => shared("nodes", client.nodes),
    vlanRouter: () => shared("vlanRouter", client.vlanRouter),
    routerNodes: () => shared("routerNodes", client.routerNodes),
    publicNetworks: () => shared("publicNetworks", client.publicNetworks),
    kinds: (groupVersion) => shared(`kinds ${groupVersion}`, () => client.kinds(groupVersion)),
    addressPools: () => shared("addressPools", client.addressPools),
  };
}
