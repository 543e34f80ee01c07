import type { PlanCondition } from "../../../model/index.js";
import { isLive, type ReceivedRoute } from "../bgp/rib/received-route.js";

/** What one peer of a network has sent, as far as it concerns the network. */
export interface PeerRoutes {
  readonly peer: string;
  /** In another AS. */
  readonly external: boolean;
  /** Routes that the network imports. */
  readonly imported: readonly ReceivedRoute[];
  /** Route targets that no network of the session imports. */
  readonly unmatchedTargets: readonly string[];
  /** Routes that were refused because our AS is in their path. */
  readonly withOwnAs: number;
  /** It has promised to keep our EVPN routes while this agent restarts (RFC 4724). */
  readonly keepsRoutes: boolean;
}

export interface OwnIdentity {
  readonly vtep: string;
  readonly mac: string;
  readonly localAsn: number;
  readonly importRouteTargets: readonly string[];
}

/** As many as help to find the mistake. */
const maximumNamed = 5;

/**
 * What is wrong with the routes of a network although its sessions are up: the mistakes that cost people a day. Only of peers
 * that have sent all that they have.
 */
export function routeFindings(own: OwnIdentity, peers: readonly PeerRoutes[]): PlanCondition[] {
  const imported = peers.flatMap((peer) => peer.imported);
  return [
    ...noneMatches(own, peers, imported),
    ...silentNeighbours(peers),
    ...refusedForOwnAs(own, peers, imported),
    ...rewrittenNextHop(imported, own),
    ...duplicateMac(imported, own),
    ...keepsNoRoutes(peers),
  ];
}

function noneMatches(
  own: OwnIdentity,
  peers: readonly PeerRoutes[],
  imported: readonly ReceivedRoute[],
): PlanCondition[] {
  const seen = [...new Set(peers.flatMap(({ unmatchedTargets }) => unmatchedTargets))].sort();
  if (imported.length > 0 || seen.length === 0) {
    return [];
  }
  const sent = peers.filter(({ unmatchedTargets }) => unmatchedTargets.length > 0).map(({ peer }) => peer);
  return [
    {
      reason: "NoRouteMatches",
      message:
        `routes came from ${named(sent)}, but none with a route target that is imported (${own.importRouteTargets.join(", ")}); ` +
        `seen: ${named(seen)}; if one of them is this network's, set bgp.importRouteTargets`,
    },
  ];
}

/** Inside an AS a reflector without other clients sends nothing, and nobody has to allow it. */
function silentNeighbours(peers: readonly PeerRoutes[]): PlanCondition[] {
  const silent = peers.filter(
    ({ external, imported, unmatchedTargets, withOwnAs }) =>
      external && imported.length + unmatchedTargets.length + withOwnAs === 0,
  );
  if (silent.length === 0) {
    return [];
  }
  return [
    {
      reason: "PeerSendsNoRoutes",
      message:
        `${named(silent.map(({ peer }) => peer))} is in another AS and sends not one route: without a policy that lets them out and ours ` +
        "in many routers pass none (RFC 8212; FRR: bgp ebgp-requires-policy); it is in order only while no other VTEP is behind it",
    },
  ];
}

/** Only where nothing else came: a leaf of another rack that we hear by a second way is no mistake. */
function refusedForOwnAs(
  own: OwnIdentity,
  peers: readonly PeerRoutes[],
  imported: readonly ReceivedRoute[],
): PlanCondition[] {
  const refused = peers.filter(({ withOwnAs }) => withOwnAs > 0);
  if (imported.length > 0 || refused.length === 0) {
    return [];
  }
  const count = refused.reduce((sum, { withOwnAs }) => sum + withOwnAs, 0);
  return [
    {
      reason: "OwnAsInPath",
      message:
        `${count} routes from ${named(refused.map(({ peer }) => peer))} were refused because our AS ${own.localAsn} is in ` +
        "their path (RFC 4271 section 9.1.2); where others of the fabric have this AS too, set bgp.allowOwnAs to 1, or give the " +
        "nodes an AS of their own",
    },
  ];
}

/** RFC 8365 section 5.1.3: the next hop is the VTEP, which is also the originator of its Type-3 with the same RD. */
function rewrittenNextHop(imported: readonly ReceivedRoute[], { vtep }: OwnIdentity): PlanCondition[] {
  const originators = new Map<string, string>();
  for (const { route } of imported) {
    if (route.kind === "inclusive-multicast") {
      originators.set(route.routeDistinguisher, route.originator);
    }
  }
  const pairs = new Set<string>();
  for (const { route, nextHop } of imported) {
    const originator = originators.get(route.routeDistinguisher);
    if (route.kind === "mac-ip" && originator !== undefined && originator !== nextHop && nextHop !== vtep) {
      pairs.add(`${originator} as ${nextHop}`);
    }
  }
  if (pairs.size === 0) {
    return [];
  }
  return [
    {
      reason: "NextHopRewritten",
      message:
        `hosts are announced behind another VTEP than the one that floods for them: ${named([...pairs].sort())}; a router on ` +
        "the way rewrites the next hop, so unicast frames get lost: keep it there (next-hop-unchanged)",
    },
  ];
}

function duplicateMac(imported: readonly ReceivedRoute[], { mac, vtep }: OwnIdentity): PlanCondition[] {
  const others = imported
    .filter(isLive)
    .filter(({ route, nextHop }) => route.kind === "mac-ip" && route.mac === mac && nextHop !== vtep)
    .map(({ nextHop }) => nextHop);
  if (others.length === 0) {
    return [];
  }
  return [
    {
      reason: "DuplicateMac",
      message:
        `${named([...new Set(others)].sort())} announces our MAC ${mac} too; frames for this node may go there: find the second ` +
        "host or the agent with the same VTEP address, and take one away",
    },
  ];
}

/** FRR 8.4 offers graceful restart without naming EVPN, and drops the routes when the connection closes. */
function keepsNoRoutes(peers: readonly PeerRoutes[]): PlanCondition[] {
  const forgetful = peers.filter(({ keepsRoutes }) => !keepsRoutes).map(({ peer }) => peer);
  if (forgetful.length === 0) {
    return [];
  }
  return [
    {
      reason: "PeerKeepsNoRoutes",
      message:
        `${named(forgetful)} does not offer graceful restart for L2VPN EVPN: while the agent of this node restarts, its routes ` +
        "are gone there until the session is back; traffic that comes in through them stops for so long",
    },
  ];
}

/** Not more than help. */
export function named(items: readonly string[]): string {
  const more = items.length - maximumNamed;
  return [...items.slice(0, maximumNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
