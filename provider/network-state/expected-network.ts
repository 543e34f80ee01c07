import { type PublicNetworkObject, revisionName, sharedBy, type VlanRouterObject } from "../../model/index.js";
import type { ExpectedNetwork } from "./network-lacks.js";

/** Seconds. Networks without BGP have no sessions to wait for. */
const noHoldTime = 0;

/**
 * What the nodes should report, from the objects as the API server holds them: the agents read the same, so both sides
 * come to the same revision even where the server filled in a default.
 */
export function expectedNetwork(object: PublicNetworkObject, router: VlanRouterObject): ExpectedNetwork {
  const { name, uid = "" } = object.metadata;
  return {
    name,
    uid,
    spec: object.spec,
    revision: revisionName({ network: name, uid, spec: object.spec, ...sharedBy(router.spec) }),
  };
}

/** A session that is out for less than its hold time may be a restart; until then its peers keep the routes. Milliseconds. */
export function sessionGraceMs({ spec }: Pick<ExpectedNetwork, "spec">): number {
  return (spec.type === "vxlan" ? (spec.vxlan.bgp?.holdTime ?? noHoldTime) : noHoldTime) * 1000;
}
