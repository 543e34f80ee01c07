import { clashFindings, duplicateSegmentFindings } from "./check-clashes.js";
import { equalPrefixFindings, replacesFindings, replacesWarnings } from "./check-equal-prefixes.js";
import { markFindings } from "./check-marks.js";
import { ownInterfaceFindings } from "./check-own-interfaces.js";
import { nestedPrefixWarnings, underlayFindings } from "./check-prefixes.js";
import { routeTargetFindings, sharedRouteTargetWarnings } from "./check-route-targets.js";
import { sessionFindings } from "./check-sessions.js";
import { staticAddressFindings } from "./check-static-addresses.js";
import type { NamedNetwork, RouterSpec } from "./configuration.js";
import { type Finding, type Path, renderPath } from "./finding.js";
import type { Mistake } from "./mistake.js";
import type { UnnamedNetwork } from "./schema.js";

/** A finding of a network by its position in the set. */
export interface NetworkFinding {
  readonly network: number;
  readonly finding: Finding;
}

/** How a place in the n-th network is named to people: `networks[0].vxlan.vni`, or `vxlan228.vxlan.vni` in a cluster. */
export type Locate = (network: number, path: Path) => string;

/**
 * What is wrong between networks that each may be right: for a set gathered from a cluster, where every network is an
 * object of its own. Of two that clash the later one is reported and names the earlier. With `cluster` the marks are
 * counted too, which a node counts for itself when it plans.
 */
export function checkNetworks(
  networks: readonly NamedNetwork[],
  cluster?: Pick<RouterSpec, "cni">,
): readonly Mistake[] {
  const locate: Locate = (network, path) => renderPath([networks[network]?.name ?? "", ...path]);
  const marks = cluster === undefined ? [] : markFindings(networks, cluster.cni);
  return [...crossFindings(networks, locate), ...marks].map(({ network, finding }) => ({
    code: finding.code,
    path: locate(network, finding.path),
    value: finding.value,
    message: finding.message,
    remedy: finding.remedy,
  }));
}

/** Positions without a network are those whose `type` is not known. */
export type NetworkSet = readonly (UnnamedNetwork | undefined)[];

export function crossFindings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  const duplicates = duplicateSegmentFindings(networks, locate);
  const distinct = without(networks, duplicates);
  return [
    ...duplicates,
    ...clashFindings(distinct, locate),
    ...routeTargetFindings(distinct, locate),
    ...ownInterfaceFindings(networks, locate),
    ...sessionFindings(networks, locate),
    ...underlayFindings(networks, locate),
    ...equalPrefixFindings(networks, locate),
    ...replacesFindings(networks),
    ...staticAddressFindings(networks, locate),
  ];
}

export function crossWarnings(networks: NetworkSet, locate: Locate): readonly NetworkFinding[] {
  return [
    ...nestedPrefixWarnings(networks, locate),
    ...sharedRouteTargetWarnings(without(networks, duplicateSegmentFindings(networks, locate)), locate),
    ...replacesWarnings(networks, locate),
  ];
}

function without(networks: NetworkSet, findings: readonly NetworkFinding[]): NetworkSet {
  const refused = new Set(findings.map(({ network }) => network));
  return networks.map((network, index) => (refused.has(index) ? undefined : network));
}
