import type { NamedNetwork } from "../configuration/configuration.js";
import { routeDistinguisher } from "../numbers/route-distinguisher.js";
import { routerId } from "../numbers/router-id.js";
import { isMarkedOurs } from "../ownership/own-link.js";
import { tunnelOf } from "./link-parts.js";
import type { LinkResult } from "./plan-link.js";
import type { Underlay } from "./vtep-address.js";

/**
 * Of networks that would have one route distinguisher on this node only the first is carried: their Type-3 routes would be
 * one (RFC 7432 section 7.3), and each would withdraw the other's. Configurations alone show it where both are derived or
 * both written; what else meets, such as a written one and the node's own router id, is seen here. Networks whose interface
 * is there already come first: a new one must not take its place.
 */
export function withoutDistinguisherClashes(
  links: ReadonlyMap<NamedNetwork, LinkResult>,
  { links: present }: Underlay,
): ReadonlyMap<NamedNetwork, LinkResult> {
  const owners = new Map<string, string>();
  const refused = new Map<NamedNetwork, LinkResult>();
  const speaking = [...links].flatMap(([network, result]) => {
    const distinguisher = distinguisherOf(network, result);
    if (distinguisher === undefined || result.kind === "none") return [];
    const existing = present.get(result.link.name);
    return [{ network, distinguisher, isThere: existing !== undefined && isMarkedOurs(existing) }];
  });
  for (const { network, distinguisher } of speaking.toSorted(
    (one, other) => Number(other.isThere) - Number(one.isThere),
  )) {
    const owner = owners.get(distinguisher);
    if (owner === undefined) owners.set(distinguisher, network.name);
    else refused.set(network, clash(network, owner, distinguisher));
  }
  return new Map([...links].map(([network, result]) => [network, refused.get(network) ?? result]));
}

function distinguisherOf(network: NamedNetwork, result: LinkResult): string | undefined {
  const tunnel = result.kind === "link" ? tunnelOf(result.link) : undefined;
  if (network.type === "vlan" || tunnel === undefined) return undefined;
  const { vxlan } = network;
  return vxlan.bgp && routeDistinguisher(vxlan, routerId(vxlan.bgp, tunnel.local));
}

function clash({ name }: NamedNetwork, owner: string, distinguisher: string): LinkResult {
  return {
    kind: "none",
    condition: {
      reason: "RouteDistinguisherClash",
      message:
        `${name} would have the route distinguisher ${distinguisher} that ${owner} has on this node; change ` +
        "bgp.routeDistinguisher where it is written",
    },
  };
}
