import type { NetworkPlan, NodePlan, SpeakerPlan } from "../node-plan/node-plan.js";
import { sessionSource } from "../node-plan/shared-session.js";
import { changed, list, missing } from "./wording.js";

/** What a change of the node plan does to the BGP sessions and EVPN routes of one network; `now` is absent when it goes. */
export function speakerInterruptions(
  old: SpeakerPlan | undefined,
  now: NetworkPlan | undefined,
  after: NodePlan,
): readonly string[] {
  if (old === undefined) return [];
  const speaker = now?.speaker;
  if (speaker === undefined) {
    const lost = lostPeers(old, peersOf(old), after);
    return now === undefined ? lost : ["BGP ends: the node's EVPN routes are withdrawn", ...lost];
  }
  const lost = missing(peersOf(old), peersOf(speaker));
  return [
    ...resetSessions(old, speaker),
    ...lostPeers(old, lost, after),
    ...(old.vtep !== speaker.vtep || old.routeDistinguisher === speaker.routeDistinguisher
      ? []
      : [
          `EVPN routes are announced again (${changed("route distinguisher", old.routeDistinguisher, speaker.routeDistinguisher)})`,
        ]),
    ...targetInterruptions("export", old.exportRouteTargets, speaker.exportRouteTargets),
    ...targetInterruptions("import", old.importRouteTargets, speaker.importRouteTargets),
  ];
}

/** Parameters of a session are agreed in OPEN (RFC 4271 section 4.2), so another one takes another session. */
function resetSessions(old: SpeakerPlan, now: SpeakerPlan): readonly string[] {
  const parameters = [
    ["own AS", old.localAsn, now.localAsn],
    ["peer AS", old.peerAsn, now.peerAsn],
    ["router id", old.routerId, now.routerId],
    ["hold time", old.holdTime, now.holdTime],
    ["password file", old.passwordFile ?? "none", now.passwordFile ?? "none"],
    ["TTL security", old.ttlSecurity ?? "none", now.ttlSecurity ?? "none"],
    ["allowed own AS", old.allowOwnAs ?? 0, now.allowOwnAs ?? 0],
  ] as const;
  const [was, is] = [sessionSource(old), sessionSource(now)];
  if (was === undefined || is === undefined) return [];
  const name = old.source === undefined && now.source === undefined ? "VTEP address" : "source address";
  const reasons =
    was === is
      ? parameters.filter(([, was, is]) => was !== is).map(([name, was, is]) => changed(name, was, is))
      : [changed(name, was, is)];
  const peers = old.peers.filter((peer) => now.peers.includes(peer));
  if (peers.length === 0) return [];
  if (reasons.length === 0) return endOfBfd(old, now, peers);
  return [
    `BGP sessions with ${list(peers)} are closed and opened again (${list(reasons)}): a peer that keeps no routes ` +
      "over a restart does not know this node until then",
  ];
}

/** RFC 5882 section 4.2.2 lets BGP stand when the other end shuts BFD down; FRR 8.4 ends it with Cease, BFD Down (measured). */
function endOfBfd(old: SpeakerPlan, now: SpeakerPlan, peers: readonly string[]): readonly string[] {
  if (old.bfd === undefined || now.bfd !== undefined) return [];
  return [
    `BFD with ${list(peers)} ends: a peer that takes this for a failure, as FRR 8.4 does, closes the BGP session once; switch BFD ` +
      "off there first",
  ];
}

/** Networks with the same pair of addresses share one session. */
function lostPeers(old: SpeakerPlan, lost: readonly string[], after: NodePlan): readonly string[] {
  const shared = lost.filter((peer) => usersOf(old, peer, after).length > 0);
  if (shared.length === 0) return endedSessions(old, lost, after);
  const users = [...new Set(shared.flatMap((peer) => usersOf(old, peer, after)))];
  return [
    ...endedSessions(old, lost, after),
    `EVPN routes are not exchanged with ${list(shared)} any more, whose BGP session stays for ${list(users)}: ` +
      "what only these peers told is lost",
  ];
}

function endedSessions(old: SpeakerPlan, peers: readonly string[], after: NodePlan): readonly string[] {
  const ended = peers.filter((peer) => usersOf(old, peer, after).length === 0);
  return ended.length === 0 ? [] : [`BGP sessions with ${list(ended)} end: what only these peers told is lost`];
}

/** With whom it has sessions. */
function peersOf(speaker: SpeakerPlan): readonly string[] {
  return sessionSource(speaker) === undefined ? [] : speaker.peers;
}

function usersOf(old: SpeakerPlan, peer: string, { networks }: NodePlan): readonly string[] {
  const source = sessionSource(old);
  return networks
    .filter(({ speaker }) => speaker !== undefined && sessionSource(speaker) === source && speaker.peers.includes(peer))
    .map(({ network }) => network);
}

function targetInterruptions(
  direction: "export" | "import",
  old: readonly string[],
  now: readonly string[],
): readonly string[] {
  const lost = missing(old, now);
  if (lost.length === 0) return [];
  return direction === "export"
    ? [`EVPN routes do not carry route target ${list(lost)} any more: who imports by it loses this node`]
    : [`EVPN routes with route target ${list(lost)} are not used any more: hosts behind them are lost`];
}
