import { containsAddress, type Prefix, parsePrefix, type RouterSpec } from "../../model/index.js";
import { cnisOf } from "../cnis-of-nodes.js";
import type { ClusterNode } from "../kubernetes/kubernetes-client.js";

/**
 * Where what the nodes say of their pods' network differs from what the program says. Only hints: a node may still carry
 * the sign of a CNI that has gone, and some CNIs allot addresses outside the node's `podCIDRs`.
 */
export function routerWarnings(declared: RouterSpec, nodes: readonly ClusterNode[]): readonly string[] {
  return [...cniWarnings(declared, nodes), ...podNetworkWarnings(declared, nodes)];
}

function cniWarnings({ cni }: RouterSpec, nodes: readonly ClusterNode[]): readonly string[] {
  const found = cnisOf(nodes);
  if (found.length === 0 || (cni !== undefined && found.includes(cni))) return [];
  const runs = `nodes run ${found.join(" and ")}`;
  const remedy = `write cni: "${found[0]}", so that its routing tables, tunnels and marks are left to it`;
  return [cni === undefined ? `${runs}, and no cni is named; ${remedy}` : `${runs}, not ${cni}; ${remedy}`];
}

function podNetworkWarnings({ podNetworks }: RouterSpec, nodes: readonly ClusterNode[]): readonly string[] {
  const declared = podNetworks.flatMap((text) => parsePrefix(text) ?? []);
  const outside = nodes.flatMap(({ name, podNetworks: own }) =>
    own
      .filter((text) => {
        const prefix = parsePrefix(text);
        return prefix !== undefined && !declared.some((network) => holds(network, prefix));
      })
      .map((text) => `${text} of ${name}`),
  );
  const [first, ...others] = outside;
  if (first === undefined) return [];
  const all = others.length === 0 ? first : `${first} and ${others.length} more`;
  return [
    `podNetworks does not hold the pod network ${all}: pods there would not reach public addresses of this cluster; add it, if pods have such addresses`,
  ];
}

function holds(network: Prefix, part: Prefix): boolean {
  return part.length >= network.length && containsAddress(network, part);
}
