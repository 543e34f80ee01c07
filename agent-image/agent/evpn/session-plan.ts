import type { SpeakerPlan } from "../../../model/index.js";
import type { SessionTarget } from "../bgp/session/bgp-session.js";

/** A network with what the node plan says about its speaker. */
export interface SpeakerNetwork {
  readonly network: string;
  readonly plan: SpeakerPlan;
}

/** One session and the networks that use it. */
export interface PlannedSession {
  readonly target: SessionTarget;
  readonly parameters: SessionParameters;
  readonly networks: readonly string[];
}

export type SessionParameters = Pick<SpeakerPlan, "localAsn" | "peerAsn" | "routerId" | "holdTime">;

/** One session between two addresses, whatever the number of networks. */
export function sessionKey({ local, peer }: SessionTarget): string {
  return `${local} ${peer}`;
}

/**
 * The sessions that the networks need, by key. Throws an Error that names two networks which share a session but want
 * it to be different.
 */
export function planSessions(networks: readonly SpeakerNetwork[]): ReadonlyMap<string, PlannedSession> {
  const sessions = new Map<string, PlannedSession>();
  for (const { network, plan } of networks) {
    for (const peer of plan.peers) {
      const target = { local: plan.vtep, peer };
      const parameters = sessionParameters(plan);
      const shared = sessions.get(sessionKey(target));
      if (shared !== undefined) {
        refuseDifference(target, shared, { network, parameters });
      }
      sessions.set(sessionKey(target), { target, parameters, networks: [...(shared?.networks ?? []), network] });
    }
  }
  return sessions;
}

export function sessionParameters({ localAsn, peerAsn, routerId, holdTime }: SessionParameters): SessionParameters {
  return { localAsn, peerAsn, routerId, holdTime };
}

const parameterNames: Readonly<Record<keyof SessionParameters, string>> = {
  localAsn: "bgp.myAsn",
  peerAsn: "bgp.peerAsn",
  routerId: "bgp.routerId",
  holdTime: "bgp.holdTime",
};

function refuseDifference(
  { local, peer }: SessionTarget,
  shared: PlannedSession,
  other: { readonly network: string; readonly parameters: SessionParameters },
): void {
  for (const key of Object.keys(parameterNames) as (keyof SessionParameters)[]) {
    if (shared.parameters[key] !== other.parameters[key]) {
      throw new Error(
        `networks "${shared.networks[0]}" and "${other.network}" share the BGP session from ${local} to ${peer} but ` +
          `differ in ${parameterNames[key]} (${shared.parameters[key]} and ${other.parameters[key]}); ` +
          "give both the same value, or different peers",
      );
    }
  }
}
